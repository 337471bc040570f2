// Runs once for each panel in the page (element, trigger and watch come from gr.HTML). Panels are only strings;
// what a click on one of their buttons means is decided here, by the button's data attribute.

const find = chunk => {
  const id = CSS.escape(chunk);
  return document.querySelector(`[data-card="${id}"]`) || document.querySelector(`[data-also~="${id}"]`);
};

const show = (chunk, number) => {
  const card = find(chunk);
  if (!card) return false;
  for (let d = card.querySelector('details'); d; d = d.parentElement?.closest('details')) d.open = true;
  for (let d = card.parentElement?.closest('details'); d; d = d.parentElement?.closest('details')) d.open = true;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  card.scrollIntoView({ block: 'start', behavior: still ? 'auto' : 'smooth' });
  card.focus({ preventScroll: true });
  const lit = card.querySelector(`mark[data-cite="${CSS.escape(number || '')}"]`);
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

const openChip = chip => {
  const turn = chip.closest('.gb-turn');
  if (turn?.classList.contains('gb-selected') && show(chip.dataset.chunk, chip.dataset.cite)) return;
  window.glassboxWanted = [chip.dataset.chunk, chip.dataset.cite];
  trigger('click', { select: Number(chip.dataset.turn) });
};

element.addEventListener('click', event => {
  const button = event.target.closest('button');
  if (!button || !element.contains(button)) return;
  const data = button.dataset;
  if (data.chunk !== undefined) openChip(button);
  else if (data.rerun !== undefined) rerun(button);
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

watch('value', () => {
  setTimeout(follow, 60);
  const wanted = window.glassboxWanted;
  // the other panels of the same event are drawn after this one and would stop the scrolling
  if (wanted && find(wanted[0])) setTimeout(() => { if (show(...wanted)) window.glassboxWanted = undefined; }, 80);
});
