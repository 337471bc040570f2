// Runs once for each panel in the page (element, trigger and watch come from gr.HTML). Panels are only strings;
// what a click on one of their buttons means is decided here, by the button's data attribute.

const find = chunk => {
  const id = CSS.escape(chunk);
  return document.querySelector(`[data-card="${id}"]`) || document.querySelector(`[data-also~="${id}"]`);
};

// what supports this sentence of the answer, else what is cited under this number
const litIn = (card, number, says) => {
  card.querySelectorAll('.gb-lit-now').forEach(mark => mark.classList.remove('gb-lit-now'));
  const own = says && card.querySelector(`mark[data-says~="${CSS.escape(says)}"]`);
  own?.classList.add('gb-lit-now');
  return own || (number ? card.querySelector(`mark[data-cite="${CSS.escape(number)}"]`) : null);
};

const show = (chunk, number, says) => {
  const card = find(chunk);
  if (!card) return false;
  for (let d = card.querySelector('details'); d; d = d.parentElement?.closest('details')) d.open = true;
  for (let d = card.parentElement?.closest('details'); d; d = d.parentElement?.closest('details')) d.open = true;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  card.scrollIntoView({ block: 'start', behavior: still ? 'auto' : 'smooth' });
  card.focus({ preventScroll: true });
  const lit = litIn(card, number, says);
  const box = lit?.closest('.gb-text');
  if (box) box.scrollTop = lit.offsetTop - box.offsetTop - box.clientHeight / 4;
  card.classList.remove('gb-flash');
  void card.offsetWidth;
  card.classList.add('gb-flash');
  return true;
};

const rerun = button => {
  const field = button.closest('.gb-rerun').querySelector('[data-field="rerun"]');
  if (field.value.trim()) trigger('submit', { rerun: field.value });
};

// a chip or sentence of the answer, or a chunk named beside its evidence
const openChip = chip => {
  const turn = chip.closest('.gb-turn');
  const wanted = [chip.dataset.chunk, chip.dataset.cite, chip.dataset.says];
  if ((!turn || turn.classList.contains('gb-selected')) && show(...wanted)) return;
  window.glassboxWanted = wanted;
  trigger('click', { select: Number(chip.dataset.turn) });
};

const openSentence = event => {
  const sentence = event.target.closest('.gb-said[data-chunk]');
  if (sentence && getSelection().isCollapsed) openChip(sentence);
};

element.addEventListener('click', event => {
  const button = event.target.closest('button');
  if (!button || !element.contains(button)) {
    openSentence(event);
    return;
  }
  const data = button.dataset;
  if (data.chunk !== undefined) openChip(button);
  else if (data.rerun !== undefined) rerun(button);
  else if (data.continue !== undefined) trigger('submit', { continue: Number(data.continue) });
  else if (data.retry !== undefined) trigger('submit', { retry: Number(data.retry) });
  else if (data.act !== undefined) trigger('click', { act: data.act, name: data.name });
  else if (data.keep !== undefined) button.closest('details').open = false;
  else if (data.select !== undefined) trigger('click', { select: Number(data.select) });
  else if (data.attempt !== undefined) trigger('click', { attempt: Number(data.attempt) });
  else if (data.delete !== undefined) trigger('click', { delete: data.delete });
  else if (data.go !== undefined) trigger('click', { go: data.go });
  else if (data.dismiss !== undefined) trigger('click', { dismiss: true });
});

element.addEventListener('keydown', event => {
  if (event.key === 'Enter' && event.target.dataset?.field === 'rerun') {
    event.preventDefault();
    rerun(event.target);
  }
});

// the newest answer stays in view while it grows; reading an earlier one is not interrupted
const follow = () => {
  const last = [...element.querySelectorAll('.gb-turn')].pop();
  if (last?.classList.contains('gb-selected')) last.scrollIntoView({ block: 'nearest' });
};

// how long the model has been at it; the page is drawn anew only when it does something else
setInterval(() => element.querySelectorAll('.gb-clock').forEach(clock => {
  const seconds = Math.max(0, Math.floor(Date.now() / 1000 - Number(clock.dataset.since)));
  const rest = String(seconds % 60).padStart(2, '0');
  clock.textContent = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${rest} s`;
}), 1000);

// a question that was opened stays so when its panel is drawn anew, which patches the parts that are there; it is opened
// again before anything is painted, so that the button in it keeps the focus
const opened = new Set();
element.addEventListener('click', event => {
  const question = event.target.closest('details[data-open]');
  const pressed = question && event.target.closest('summary, button');
  if (!pressed) return;
  const name = question.dataset.open;
  if (pressed.tagName === 'SUMMARY' && !question.open) opened.add(name);
  else opened.delete(name);
  if (pressed.tagName === 'BUTTON') question.open = false;
});
new MutationObserver(() => element.querySelectorAll('details[data-open]').forEach(question => {
  const wanted = opened.has(question.dataset.open);
  if (question.open !== wanted) question.open = wanted;
})).observe(element, { childList: true, subtree: true, attributeFilter: ['open', 'data-open'] });

watch('value', () => {
  setTimeout(follow, 60);
  const wanted = window.glassboxWanted;
  // the other panels of the same event are drawn after this one and would stop the scrolling
  if (wanted && find(wanted[0])) setTimeout(() => { if (show(...wanted)) window.glassboxWanted = undefined; }, 80);
});
