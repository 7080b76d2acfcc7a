"use strict";
(function () {
  const search = document.getElementById("search"), hits = document.getElementById("hits");
  const rows = Array.from(document.querySelectorAll("tr[data-node]"));
  function mark() {
    const word = search.value.trim().toLowerCase();
    let count = 0;
    for (const row of rows) {
      const found = word !== "" && row.textContent.toLowerCase().includes(word);
      row.classList.toggle("changed", found);
      const node = document.getElementById(row.dataset.node);
      if (node) node.classList.toggle("found", found);
      count += found;
    }
    hits.textContent = word === "" ? "" : count === 1 ? "1 step" : `${count} steps`;
  }
  search.addEventListener("input", mark);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target !== search) { search.focus(); event.preventDefault(); }
    if (event.key === "Escape" && event.target === search) { search.value = ""; mark(); }
    if (event.key === "Enter" && event.target === search) {
      const node = document.querySelector("svg .node.found");
      if (node) node.scrollIntoView({ block: "center", inline: "center" });
    }
  });
  document.documentElement.classList.add("ready");
})();
