"use strict";
// The page works without this: it adds sorting, the filters of the first table, and what a change
// costs in misses. What was chosen stands in the address, so that a link keeps it.

function sortable(table) {
  const heads = Array.from(table.querySelectorAll("thead th"));
  const body = table.querySelector("tbody");
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((it) => it.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = Array.from(body.rows).map((row) => [key(row.cells[column]), row]);
      rows.sort(([a], [b]) => compare(a, b, down));
      body.append(...rows.map(([, row]) => row));
    });
  });
}

// A cell without a number in a column of numbers says so, and stands last either way.
function key(cell) {
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  return cell.classList.contains("number") ? null : cell.textContent.trim();
}

function compare(a, b, down) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  return down ? -order : order;
}

// Columns that are not measured but follow from the reader's own numbers; next to the names.
function addMisses(table) {
  for (const change of ["replaced", "lost"]) {
    if (!columnOf(table, change)) continue;
    const head = document.createElement("th");
    head.scope = "col";
    head.className = "number";
    head.dataset.misses = change;
    const text = document.createElement("span");
    text.textContent = "one " + change + ": misses a second";
    head.append(text);
    table.tHead.rows[0].cells[0].after(head);
    for (const row of table.tBodies[0].rows) row.insertCell(1).className = "number";
  }
}

function columnOf(table, key) {
  return table.querySelector('th[data-key="' + key + '"]');
}

function fillMisses(table, rate) {
  for (const head of table.querySelectorAll("th[data-misses]")) {
    const column = columnOf(table, head.dataset.misses).cellIndex;
    for (const row of table.tBodies[0].rows) {
      const moved = row.cells[column].dataset.value;
      const cell = row.cells[head.cellIndex];
      delete cell.dataset.value;
      cell.textContent = "\u2013";
      if (moved !== undefined && Number.isFinite(rate)) {
        cell.dataset.value = rate * Number(moved);
        cell.textContent = Number((rate * Number(moved)).toPrecision(3)).toLocaleString("en");
      }
    }
  }
}

const met = {
  removal: (text) => text === "yes",
  replicas: (text) => text === "yes",
  weights: (text) => text !== "no" && text !== "none",
};

// NaN where nothing is given, or what cannot be: then nothing follows from it.
function given(field) {
  return field.checkValidity() ? field.valueAsNumber : NaN;
}

function filter(form) {
  const rate = given(form.rps) * given(form.hits) / 100;
  for (const glance of document.querySelectorAll(".glance")) {
    glance.hidden = glance.dataset.nodes !== form.nodes.value;
    const table = glance.querySelector("table");
    fillMisses(table, rate);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = (name) => {
        const head = columnOf(table, name);
        return head ? row.cells[head.cellIndex].textContent.trim() : "";
      };
      const needs = Object.keys(met).every((name) => !form[name].checked || met[name](text(name)));
      const speaks = form.spoken.value === "" || text("spoken").includes(form.spoken.value);
      row.hidden = !(needs && speaks);
      shown += row.hidden ? 0 : 1;
    }
    if (!glance.hidden) {
      form.count.value = shown + " of " + table.tBodies[0].rows.length + " rows.";
    }
  }
}

const MARK = "#choose&";

function save(form) {
  const chosen = new URLSearchParams();
  for (const field of form.elements) {
    if (field.type === "checkbox" ? field.checked : field.name && field.type !== "output" && field.value) {
      chosen.set(field.name, field.type === "checkbox" ? "1" : field.value);
    }
  }
  try {
    history.replaceState(null, "", MARK + chosen);
  } catch {
    // A browser that keeps the address of a file for itself: the choice works all the same.
  }
}

function restore(form) {
  if (!location.hash.startsWith(MARK)) return;
  const chosen = new URLSearchParams(location.hash.slice(MARK.length));
  for (const field of form.elements) {
    if (!field.name || field.type === "output") continue;
    if (field.type === "checkbox") field.checked = chosen.has(field.name);
    else if (chosen.has(field.name)) {
      const before = field.value;
      field.value = chosen.get(field.name);
      if (field.value === "" && chosen.get(field.name) !== "") field.value = before;
    }
  }
}

const form = document.getElementById("choose");
if (form) {
  document.querySelectorAll(".glance table").forEach(addMisses);
  restore(form);
  filter(form);
  form.hidden = false;
  form.addEventListener("input", () => {
    filter(form);
    save(form);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
}
document.querySelectorAll("main table").forEach(sortable);
