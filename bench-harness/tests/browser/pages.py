"""A report's index.html in a real browser: what it shows, that it fits, and that its form does what it says.

    python3 bench-harness/tests/browser/pages.py reports/index.html [MORE.html]

Needs Debian's chromium and chromium-driver, and requirements.txt of this folder. Pages are opened from disk; nothing is fetched.
"""

import importlib.util
import json
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import unquote, urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

ROOT = Path(__file__).resolve().parents[3]
# The module is not imported, since that would ask for playwright.
AXE = Path(importlib.util.find_spec("axe_playwright_python").origin).with_name("axe.min.js").read_text()
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync""".split()
# Widths and schemes: no size follows the scheme, and no colour the width, so each is looked at once.
LOOKS = ((1280, "light"), (390, "dark"))
PAPER = 980  # US Letter on its side, the narrower one, less Chromium's margins, at 96 dots an inch

# Text must not be wider than the page; tables, figures and, where it is narrow, the line of sections scroll by themselves, but not on
# paper.
TOO_WIDE = """
const narrow = matchMedia("(max-width: 759px)").matches;
const scrolls = matchMedia("print").matches ? "svg, nav" : narrow ? ".scroll, nav" : ".scroll";
const width = document.documentElement.clientWidth;
const found = [];
(function visit(it) {
  const box = it.getBoundingClientRect();
  if (box.width > 0 && (box.right > width + 1 || box.left < -1)) found.push(it.outerHTML.slice(0, 120));
  if (!it.matches(scrolls)) Array.from(it.children).forEach(visit);
})(document.body);
return found;
"""

# On the whole page axe takes minutes, and most of the page repeats itself: rows of equal classes, families, sources, and what is
# inside a picture. A few of each kind stay.
THIN = """
for (const it of document.querySelectorAll("svg > :not(title, desc)")) it.remove();
for (const body of document.querySelectorAll("tbody")) {
  const seen = new Set();
  for (const row of Array.from(body.rows)) {
    const kinds = Array.from(row.cells, (it) => it.className).filter((it) => !seen.has(it));
    if (kinds.length === 0) row.remove();
    kinds.forEach((it) => seen.add(it));
  }
}
for (const kind of ["#families > details", "section > figure", "details > figure", "article > figure"]) {
  const of = new Map();
  for (const it of document.querySelectorAll(kind)) {
    const before = of.get(it.parentElement) || 0;
    if (before >= 2) it.remove();
    of.set(it.parentElement, before + 1);
  }
}
for (const it of document.querySelectorAll("#sources dl > :nth-child(n + 9)")) it.remove();
"""

RUN_AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"], selectors: false }).then(
  (it) => done(it.violations.filter((v) => ["serious", "critical"].includes(v.impact)).map(
    (v) => v.id + ": " + v.help + ": " + v.nodes[0].html.slice(0, 200))),
  (error) => done(["axe: " + error]));
"""

# Rows of the table that is shown: every cell's text and number, by the column's key or, where it has none, its place.
ROWS = """
const table = document.querySelector(".glance:not([hidden]) table");
const name = (it, n) => (it.dataset.misses ? "misses " + it.dataset.misses : it.dataset.key || n || "strategy");
const heads = Array.from(table.tHead.rows[0].cells, name);
return Array.from(table.tBodies[0].rows, (row) => ({
  hidden: row.hidden || row.offsetHeight === 0,
  cells: Object.fromEntries(Array.from(row.cells, (it, n) => [heads[n],
    { text: it.textContent.trim(), value: it.dataset.value === undefined ? null : Number(it.dataset.value) }])),
}));
"""


def start():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    for flag in [*FLAGS, f"--user-data-dir={profile.name}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # The driver is named, so that selenium looks for none.
    browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    browser.set_script_timeout(60)
    unittest.addModuleCleanup(profile.cleanup)
    unittest.addModuleCleanup(browser.quit)
    return browser


def setUpModule():
    global browser
    browser = start()


def look(width, scheme="light", media="screen"):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})


def run(script, *arguments):
    return browser.execute_script(script, *arguments)


class Shown:
    """What is there before anybody touches it. The page is opened once, with everything unfolded."""

    @classmethod
    def setUpClass(cls):
        look(*LOOKS[0])
        browser.get("about:blank")
        for log in ("browser", "performance"):
            browser.get_log(log)  # what the empty window said
        browser.get(cls.page.as_uri())
        run("document.querySelectorAll('details').forEach((it) => { it.open = true; });")

    def test_1_is_quiet(self):
        events = [json.loads(it["message"])["message"] for it in browser.get_log("performance")]
        asked = [it["params"]["request"]["url"] for it in events if it["method"] == "Network.requestWillBeSent"]
        self.assertIn(self.page.as_uri(), asked)
        with self.subTest("nothing is fetched"):
            self.assertEqual([it for it in asked if urlsplit(it).scheme not in ("file", "data")], [])
        with self.subTest("nothing is complained of"):
            self.assertEqual([it["message"] for it in browser.get_log("browser") if it["level"] == "SEVERE"], [])

    def test_2_fits(self):
        places = [(width, scheme, "screen") for width, scheme in LOOKS] + [(PAPER, "light", "print")]
        for width, scheme, media in places:
            with self.subTest(width=width, scheme=scheme, media=media):
                look(width, scheme, media)
                wide, there = run("const it = document.documentElement; return [it.scrollWidth, it.clientWidth];")
                self.assertLessEqual(wide, there)
                self.assertEqual(run(TOO_WIDE)[:5], [])

    def test_3_figures_say_what_they_are(self):
        figures = run("""return Array.from(document.querySelectorAll("figure"), (it) => ({
            id: it.id,
            role: it.querySelector("svg")?.getAttribute("role"),
            name: it.querySelector("svg > title")?.textContent.trim(),
            marks: it.querySelectorAll("svg * title").length,
        }));""")
        self.assertTrue(figures)
        self.assertEqual([it["id"] for it in figures if it["role"] != "img" or not it["name"]], [], "without a name")
        self.assertEqual([it["id"] for it in figures if it["marks"] == 0], [], "without marks to hover over")

    def test_4_links_lead_somewhere(self):
        links = set(run("return Array.from(document.querySelectorAll('a'), (it) => it.getAttribute('href'));"))
        self.assertTrue(links)
        ids = run("return Array.from(document.querySelectorAll('[id]'), (it) => it.id);")
        self.assertEqual(len(ids), len(set(ids)), "ids that stand twice")
        for link in links:
            to = urlsplit(link)
            if link.startswith("#"):
                self.assertIn(to.fragment, ids)
                continue
            if to.scheme or to.netloc:
                continue  # somewhere else
            # A link out of the report means the repository's file, beside which reports/ lies.
            folder = ROOT / "reports" if link.startswith("..") else self.page.parent
            self.assertTrue((folder / unquote(to.path)).is_file(), link)

    def test_5_axe_finds_nothing(self):
        run(THIN)
        run(AXE)
        for width, scheme in LOOKS:
            with self.subTest(width=width, scheme=scheme):
                look(width, scheme)
                self.assertEqual(browser.execute_async_script(RUN_AXE), [])


class Used:
    """The form and the heads of the tables, as a person uses them."""

    @classmethod
    def setUpClass(cls):
        look(*LOOKS[0])
        cls.open(cls.page.as_uri())

    def setUp(self):
        run("const it = document.forms.choose; it.reset(); it.dispatchEvent(new Event('input'));")

    @staticmethod
    def open(address):
        browser.get("about:blank")  # so that neither the page nor its fields are kept
        browser.get(address)

    def field(self, name):
        return browser.find_element(By.CSS_SELECTOR, f"#choose [name={name}]")

    def enter(self, name, text):
        """By key, as a person would: a driver's own clearing tells the page of no input."""
        self.field(name).send_keys(Keys.CONTROL + "a")
        self.field(name).send_keys(Keys.BACKSPACE + text)

    def choose(self, name, key):
        """Chooses by key: a driver's click on an option tells the page before it chooses, which no person's does."""
        before = self.chosen(name)
        self.field(name).send_keys(key)
        self.assertNotEqual(self.chosen(name), before)
        return self.chosen(name)

    def chosen(self, name):
        return Select(self.field(name)).first_selected_option.text

    def shown(self):
        return [it["cells"]["strategy"]["text"] for it in run(ROWS) if not it["hidden"]]

    def test_ticks_filter_the_rows(self):
        fits = {
            "removal": lambda text: text == "yes",
            "weights": lambda text: text not in ("no", "none"),
            "replicas": lambda text: text == "yes",
        }
        every = run(ROWS)
        self.assertEqual(len(self.shown()), len(every))
        for name, fit in fits.items():
            with self.subTest(name):
                self.field(name).click()
                wanted = [it["cells"]["strategy"]["text"] for it in every if fit(it["cells"][name]["text"])]
                self.assertTrue(0 < len(wanted) < len(every), "the tick tells nothing apart")
                self.assertEqual(self.shown(), wanted)
                self.assertEqual(run("return document.forms.choose.count.value;"), f"{len(wanted)} of {len(every)} rows.")
                self.field(name).click()
        client = self.choose("spoken", Keys.ARROW_DOWN)
        wanted = [it["cells"]["strategy"]["text"] for it in every if client in it["cells"]["spoken"]["text"]]
        self.assertTrue(0 < len(wanted) < len(every), client)
        self.assertEqual(self.shown(), wanted)

    def test_misses_are_requests_times_hits_times_moved(self):
        for requests, hits in (("25000", "80"), ("120", "99.5")):
            self.enter("rps", requests)
            self.enter("hits", hits)
            numbers = 0
            for row in run(ROWS):
                for change in ("lost", "replaced"):
                    moved, misses = row["cells"][change]["value"], row["cells"][f"misses {change}"]["text"]
                    if moved is None:
                        self.assertEqual(misses, "\u2013", row)
                        continue
                    numbers += 1
                    wanted = float(f"{float(requests) * float(hits) / 100 * moved:.3g}")
                    self.assertAlmostEqual(float(misses.replace(",", "")), wanted, delta=0.0005, msg=row)
            self.assertGreater(numbers, 10)
        # Nothing follows from nothing, nor from what cannot be.
        for requests, hits in (("", "90"), ("10000", ""), ("-5", "90"), ("10000", "101")):
            self.enter("rps", requests)
            self.enter("hits", hits)
            for row in run(ROWS):
                for change in ("lost", "replaced"):
                    self.assertEqual(row["cells"][f"misses {change}"]["text"], "\u2013", (requests, hits, row))

    def test_heads_sort_by_mouse_and_by_key(self):
        button = browser.find_element(By.CSS_SELECTOR, ".glance:not([hidden]) th[data-key=lost] button")
        head = button.find_element(By.XPATH, "..")
        run("arguments[0].scrollIntoView({ block: 'center' });", button)
        for press, order in ((button.click, "ascending"), (lambda: button.send_keys(Keys.ENTER), "descending")):
            with self.subTest(order):
                before = self.shown()
                press()
                numbers = [it["cells"]["lost"]["value"] for it in run(ROWS)]
                known = [it for it in numbers if it is not None]
                self.assertGreater(len(set(known)), 5)
                self.assertEqual(known, sorted(known, reverse=order == "descending"))
                self.assertGreater(len(numbers), len(known))
                self.assertEqual(numbers[: len(known)], known, "cells without a number stand last")
                self.assertEqual(head.get_attribute("aria-sort"), order)
                self.assertNotEqual(self.shown(), before)
                self.assertEqual(sorted(self.shown()), sorted(before))

    def test_the_address_keeps_the_choice(self):
        nodes = self.choose("nodes", Keys.END)
        client = self.choose("spoken", Keys.ARROW_DOWN)
        self.enter("rps", "777")
        self.enter("hits", "55")
        self.field("removal").click()
        kept = self.shown()
        self.open(browser.current_url)
        self.assertEqual(self.field("rps").get_attribute("value"), "777")
        self.assertEqual(self.field("hits").get_attribute("value"), "55")
        self.assertEqual((self.chosen("nodes"), self.chosen("spoken")), (nodes, client))
        self.assertEqual([self.field(it).is_selected() for it in ("removal", "weights", "replicas")], [True, False, False])
        tables = browser.find_elements(By.CSS_SELECTOR, ".glance:not([hidden])")
        self.assertEqual([it.get_attribute("data-nodes") for it in tables], [nodes])
        self.assertEqual(self.shown(), kept)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("pages.py: no page: expected the path of at least one index.html")
    pages = [Path(it).resolve() for it in sys.argv[1:]]
    for page in pages:
        if not page.is_file():
            sys.exit(f"pages.py: {page}: no such file: expected a report's index.html")
    for n, page in enumerate(pages, 1):
        for checks in (Shown, Used):
            name = f"{checks.__name__}{n}"
            globals()[name] = type(name, (checks, unittest.TestCase), {"page": page, "__doc__": str(page)})
    unittest.main(argv=sys.argv[:1], verbosity=2)
