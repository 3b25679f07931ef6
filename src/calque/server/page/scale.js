// Numbers as text and as colour.

export function number(value, digits = 2) {
  const written = Math.abs(value).toFixed(digits);
  return value < 0 && Number(written) !== 0 ? `−${written}` : written;
}

export const count = (value) => value.toLocaleString("en");

// From −1 to 1; tables.css knows the colours of either scheme, and which text can be read on them.
export function tint(shown, value) {
  shown.classList.add("tinted");
  shown.classList.toggle("against", value < 0);
  shown.style.setProperty("--strength", Math.min(1, Math.abs(value) || 0).toFixed(3));
  return shown;
}
