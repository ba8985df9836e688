// What scripts add: buttons that copy, forms that are sent once, and two keys. Everything works without.
'use strict';
const copied = document.body.dataset.copied;
for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  const text = button.firstChild;
  const before = text.textContent;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    text.textContent = copied;
    button.setAttribute('aria-live', 'polite');
    setTimeout(() => { text.textContent = before; }, 2000);
  });
}
for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = 'yes';
    const button = event.submitter;
    // Behind the sending, which would else leave out what the button says.
    setTimeout(() => { if (button) button.disabled = true; });
  });
}
// A page that is come back to shows what is so now, and its forms can be sent again. The answer to a form stays as it is.
addEventListener('pageshow', (event) => {
  if (event.persisted && document.querySelector('main[data-here]')) return location.reload();
  for (const form of document.querySelectorAll('form[data-sent]')) {
    delete form.dataset.sent;
    for (const button of form.querySelectorAll('button')) button.disabled = false;
  }
});
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest('input,select,textarea,dialog[open]')) return;
  if (event.key === '/') {
    const search = document.querySelector('[type=search]');
    // A page without a search leads to that of payments, unless something may be half typed on it.
    const isTyping = document.querySelector('main form[method=post]');
    const payments = !isTyping && document.querySelector('.menu a[href^="/app/payments"]');
    if (search || payments) event.preventDefault();
    if (search) search.focus();
    else if (payments) location.href = `${payments.href}#search`;
  }
  if (event.key === '?') document.getElementById('help')?.showModal();
});
// A page that listens: notified that it is out of date, its fresh parts are loaded again and put into their places. What goes
// wrong is tried again, each time a little later, and reported meanwhile.
function listen(off) {
  let events;
  let timer;
  let silent;
  let wait = 0;
  const stop = () => {
    events?.close();
    clearTimeout(timer);
    clearTimeout(silent);
  };
  const later = () => {
    stop();
    off.hidden = false;
    wait = Math.min(2 * wait || 2, 60);
    timer = setTimeout(open, 1000 * wait * (1 + Math.random() / 2));
  };
  const refresh = async () => {
    stop();
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, signal: AbortSignal.timeout?.(15000) });
    if (answer.redirected) return location.reload();
    if (!answer.ok) return later();
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const part of document.querySelectorAll('[data-fresh]')) {
      const fresh = page.getElementById(part.id);
      if (!fresh) continue;
      if (part.dataset.live) fresh.setAttribute('aria-live', 'polite');
      part.replaceWith(fresh);
    }
    open();
  };
  const open = () => {
    stop();
    const part = document.querySelector('[data-live]');
    if (document.hidden || !part) return;
    events = new EventSource(part.dataset.live);
    events.addEventListener('changed', () => refresh().catch(later));
    events.addEventListener('open', () => {
      clearTimeout(silent);
      wait = 0;
      off.hidden = true;
    });
    events.addEventListener('error', () => {
      // A stream that has come to its end is opened again by the browser. One that was refused is not.
      if (events.readyState === EventSource.CLOSED) return later();
      clearTimeout(silent);
      silent = setTimeout(() => { off.hidden = false; }, 15000);
    });
  };
  // A page that nobody looks at asks for nothing; when it is looked at again, it hears what it has missed.
  document.addEventListener('visibilitychange', open);
  open();
}
const off = document.getElementById('live-off');
if (off) listen(off);
