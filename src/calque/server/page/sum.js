// The few pairs that make most of a score, and the rest, as a sum.

import { element, text } from "./dom.js";
import { number } from "./scale.js";

const MOST = 4; // terms that are named
const LEAST = 0.005; // what would be written as 0.00 is not named

export function sumOf(explained) {
  if (!isComparable(explained)) return element("p", {}, NOTHING);
  const { named, rest } = split(explained);
  const terms = named.map(({ value, one, two }) => term(value, text("bdi", one), " · ", text("bdi", two)));
  if (rest.pairs > 0) terms.push(term(rest.value, restName(named.length, rest.pairs)));
  const result = element("li", { class: "result" }, element("b", {}, number(explained.score)), "in all");
  return element("ul", { class: "sum" }, ...terms, result);
}

// The same in few words, for those who hear it.
export function spoken(explained) {
  if (!isComparable(explained)) return NOTHING;
  const [first] = split(explained).named;
  const most = first ? `, ${number(first.value)} of it from ${first.one} and ${first.two}` : "";
  return `Explained: ${number(explained.score)}${most}`;
}

const NOTHING = "A sentence has nothing in it that the model knows, so there is nothing to compare.";

function isComparable({ first, second }) {
  return first.some((part) => part.known) && second.some((part) => part.known);
}

function split({ first, second, contributions, score }) {
  const pairs = contributions
    .flatMap((row, at) => row.map((value, column) => ({ value, one: first[at].text, two: second[column].text })))
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const named = pairs.slice(0, MOST).filter(({ value }) => Math.abs(value) >= LEAST);
  const value = named.reduce((left, pair) => left - pair.value, score);
  return { named, rest: { pairs: pairs.length - named.length, value } };
}

function restName(named, rest) {
  if (named === 0) return rest === 1 ? "the only pair" : `all ${rest} pairs`;
  return rest === 1 ? "the other pair" : `${rest} other pairs`;
}

function term(value, ...what) {
  return element("li", {}, element("b", {}, number(value)), element("span", { class: "what" }, ...what));
}
