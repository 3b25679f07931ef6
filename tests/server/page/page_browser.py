"""A real browser for the page, as tests and screenshots start it."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

from selenium.webdriver import Chrome, ChromeOptions, ChromeService

_NEEDED = ("chromium", "chromedriver")
_FLAGS = (
    "--headless=new",
    "--no-sandbox",  # or it would not start as root, which is what containers run as
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=en",
)
DESKTOP, PHONE = (1280, 900), (360, 740)


def why_not() -> str | None:
    """What stands in the way of a browser, if anything does."""
    missing = [name for name in _NEEDED if shutil.which(name) is None]
    return f"no {' and no '.join(missing)}: apt install chromium chromium-driver" if missing else None


@contextlib.contextmanager
def browsing() -> Iterator[Chrome]:
    """With a profile of its own that is thrown away, and logs of the console and of all that is fetched."""
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    with tempfile.TemporaryDirectory(prefix="calque-browser-", ignore_cleanup_errors=True) as profile:
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        # Named, so that selenium does not go and fetch one.
        driver = Chrome(options, ChromeService(shutil.which("chromedriver")))
        try:
            resize(driver, DESKTOP)
            yield driver
        finally:
            driver.quit()


def resize(driver: Chrome, size: tuple[int, int], scale: float = 1) -> None:
    """A window of Chromium is at least 500 wide; what it emulates may be as narrow as a phone."""
    metrics: dict[str, Any] = {"width": size[0], "height": size[1], "deviceScaleFactor": scale}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**metrics, "mobile": size == PHONE})


def prefer(driver: Chrome, scheme: str, motion: str = "no-preference") -> None:
    features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": motion}
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": name, "value": value} for name, value in features.items()]},
    )
