"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const table = document.getElementById("steps");
  const rows = Array.from(table.querySelectorAll("tr[data-step]"));
  const byId = (id) => document.getElementById(id);
  let current = -1;

  function shown(k) { return !(table.classList.contains("folded") && rows[k].classList.contains("minor")); }

  function near(from, by) {
    let k = from + by;
    while (k >= 0 && k < rows.length && !shown(k)) k += by;
    return k >= 0 && k < rows.length ? k : from;
  }

  function filled(tbody, cells, empty) {
    tbody.textContent = "";
    for (const row of cells.length ? cells : [[empty]]) {
      const tr = tbody.insertRow();
      row.slice(0, 2).forEach((text, column) => {
        const cell = document.createElement(column === 0 && cells.length ? "th" : "td");
        if (cell.tagName === "TH") cell.scope = "row";
        cell.textContent = text;
        if (!cells.length) cell.colSpan = 2;
        tr.appendChild(cell);
      });
      if (row[2]) tr.className = "changed";
    }
  }

  function variables(k) {
    const values = new Map(data.initial.map(([name, value]) => [name, [value, false]]));
    for (let j = 0; j <= k; j++) {
      for (const [name, value] of data.steps[j].changes) values.set(name, [value, j === k]);
    }
    return Array.from(values, ([name, [value, changed]]) => [name, value, changed]);
  }

  function marks(k) {
    for (const li of document.querySelectorAll("ol.source li.here, ol.source li.run")) {
      li.classList.remove("here", "run");
      li.removeAttribute("aria-current");
      li.querySelector(".who").textContent = "";
    }
    const places = new Map();
    for (let j = 0; j <= k; j++) places.set(data.steps[j].slot, data.steps[j].at);
    for (const [slot, at] of places) {
      const li = at && byId(at);
      if (!li) continue;
      const active = slot === data.steps[k].slot;
      li.classList.add(active ? "here" : "run");
      const who = li.querySelector(".who");
      who.textContent = (who.textContent ? who.textContent + " " : "") + slot;
      if (active) {
        li.setAttribute("aria-current", "location");
        for (const file of document.querySelectorAll(".file")) file.hidden = file !== li.closest(".file");
        reveal(li);
      }
    }
  }

  function reveal(element) {
    const box = element.closest(".scroll");
    if (!box) return;
    const inner = element.getBoundingClientRect(), outer = box.getBoundingClientRect();
    if (inner.top < outer.top + 30 || inner.bottom > outer.bottom - 10) {
      box.scrollTop += inner.top - outer.top - outer.height / 3;
    }
  }

  function go(k, focus) {
    if (k < 0 || k >= rows.length) return;
    if (current >= 0) {
      rows[current].classList.remove("current");
      const old = rows[current].querySelector("button");
      old.tabIndex = -1;
      old.removeAttribute("aria-current");
    }
    current = k;
    const step = data.steps[k], button = rows[k].querySelector("button");
    rows[k].classList.add("current");
    button.tabIndex = 0;
    button.setAttribute("aria-current", "step");
    if (focus) button.focus({ preventScroll: true });
    reveal(rows[k]);
    const row = rows[k].getBoundingClientRect();
    if (focus && (row.bottom > window.innerHeight || row.top < 0)) rows[k].scrollIntoView({ block: "nearest" });
    byId("now").textContent = `Step ${k + 1} of ${rows.length}, thread ${step.slot} ${data.threads[step.slot]}, line ${step.line}: `
      + step.text + (step.words ? " \u2014 " + step.words : "");
    filled(byId("vars"), variables(k), "nothing yet");
    filled(byId("locks"), step.owners, "no lock is held");
    filled(byId("stack"), step.stack, "no function");
    marks(k);
    byId("first").disabled = byId("back").disabled = near(k, -1) === k;
    byId("last").disabled = byId("next").disabled = near(k, 1) === k;
    byId("switch").disabled = nextSwitch() === current;
  }

  function nextSwitch() {
    for (let k = near(current, 1); k !== current && k > current; ) {
      if (data.steps[k].slot !== data.steps[current].slot) return k;
      const following = near(k, 1);
      if (following === k) break;
      k = following;
    }
    return current;
  }

  const search = byId("search");
  let hits = [];
  function look() {
    const word = search.value.trim().toLowerCase();
    hits = [];
    rows.forEach((row, k) => {
      const found = word !== "" && row.textContent.toLowerCase().includes(word);
      row.classList.toggle("found", found);
      if (found && shown(k)) hits.push(k);
    });
    byId("hits").textContent = word === "" ? "" : hits.length === 1 ? "1 step" : `${hits.length} steps`;
  }
  function nextHit() {
    if (!hits.length) return;
    go(hits.find((k) => k > current) ?? hits[0], false);
    rows[current].scrollIntoView({ block: "nearest" });
  }

  const actions = {
    first: () => go(shown(0) ? 0 : near(0, 1), true), back: () => go(near(current, -1), true),
    next: () => go(near(current, 1), true), last: () => go(shown(rows.length - 1) ? rows.length - 1 : near(rows.length - 1, -1), true),
    switch: () => go(nextSwitch(), true),
  };
  const keys = {
    ArrowRight: "next", ArrowDown: "next", j: "next", ArrowLeft: "back", ArrowUp: "back", k: "back", Home: "first", End: "last", s: "switch",
  };
  for (const name of Object.keys(actions)) {
    byId(name).addEventListener("click", () => { actions[name](); if (!byId(name).disabled) byId(name).focus(); });
  }
  rows.forEach((row, k) => row.addEventListener("click", () => go(k, true)));
  search.addEventListener("input", look);
  byId("all").addEventListener("change", () => {
    table.classList.toggle("folded", !byId("all").checked);
    look();
    go(shown(current) ? current : near(current, 1), false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === search) {
      if (event.key === "Enter") { nextHit(); event.preventDefault(); }
      if (event.key === "Escape") { search.value = ""; look(); go(current, true); }
      return;
    }
    if (event.key === "/") { search.focus(); event.preventDefault(); return; }
    const name = keys[event.key];
    if (name) { actions[name](); event.preventDefault(); }
  });
  document.documentElement.classList.add("ready");
  go(shown(0) ? 0 : near(0, 1), false);
})();
