// Searching ranks pages for users before those about the project. The numbers are Sphinx's own.
var Scorer = {
  score: ([page, title, anchor, description, score]) =>
    /^(decisions\/|changelog|architecture|contributing)/.test(page) ? score - 100 : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
