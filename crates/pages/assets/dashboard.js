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
// A page that is come back to can be sent again.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) {
    delete form.dataset.sent;
    for (const button of form.querySelectorAll('button')) button.disabled = false;
  }
});
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest('input,select,textarea,dialog')) return;
  if (event.key === '/') {
    const search = document.querySelector('[type=search]');
    if (!search) return;
    event.preventDefault();
    search.focus();
  }
  if (event.key === '?') document.getElementById('help')?.showModal();
});
// A part of a page that listens: told that it is out of date, it is loaded again and put into its place.
function listen(part) {
  let events = new EventSource(part.dataset.live);
  const changed = async () => {
    events.close();
    removeEventListener('visibilitychange', turn);
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (!answer.ok || answer.redirected) return location.reload();
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.getElementById(part.id);
    if (!fresh) return;
    fresh.setAttribute('aria-live', 'polite');
    part.replaceWith(fresh);
    listen(fresh);
  };
  // A page that nobody looks at asks for nothing; when it is looked at again, it hears what it has missed.
  const turn = () => {
    events.close();
    if (document.hidden) return;
    events = new EventSource(part.dataset.live);
    events.addEventListener('changed', changed);
  };
  events.addEventListener('changed', changed);
  addEventListener('visibilitychange', turn);
}
for (const part of document.querySelectorAll('[data-live]')) listen(part);
