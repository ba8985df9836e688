// What makes the page nicer where scripts run. Everything works without it.
(function () {
  "use strict";
  var body = document.body;

  // Printing a receipt, which browsers do by their own menu too.
  document.querySelectorAll("[data-print]").forEach(function (button) {
    button.hidden = false;
    button.addEventListener("click", function () { window.print(); });
  });

  // Copying what is to be typed into the bank's application.
  if (navigator.clipboard) {
    var spoken = document.getElementById("told");
    var silence;
    document.querySelectorAll("[data-copy]").forEach(function (button) {
      button.hidden = false;
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(button.dataset.copy).then(function () {
          button.classList.add("done");
          spoken.textContent = body.dataset.copied + ": " + button.querySelector(".unseen").textContent;
          clearTimeout(silence);
          silence = setTimeout(function () { spoken.textContent = ""; }, 2000);
          setTimeout(function () { button.classList.remove("done"); }, 2000);
        });
      });
    });
  }

  // What was typed stays with its payer: in this entry of the tab's history and, from sending it to the
  // next page, in the tab's own store. Never in an address, which others have too.
  var form = document.querySelector("form.tell");
  var fields = form ? Array.from(form.querySelectorAll("input:not([type=hidden]):not([type=radio])")) : [];
  var typed = function () {
    var values = {};
    fields.forEach(function (field) { values[field.name] = field.value; });
    return values;
  };
  var keep = function (address) {
    history.replaceState(form && typed(), "", address);
  };
  /* A browser may be set to keep nothing. */
  var store = function (use) {
    try { return use(sessionStorage); } catch (refused) { return null; }
  };
  var sent = store(function (tab) {
    var text = tab.getItem("sent");
    if (!("failure" in body.dataset)) tab.removeItem("sent");
    return JSON.parse(text);
  });
  var known = history.state || (sent && form && sent.to === form.action && sent.typed);
  var isEmpty = fields.every(function (field) { return !field.value; });
  if (known && isEmpty) fields.forEach(function (field) { field.value = known[field.name] || ""; });
  // From here on the page is loaded again from where the answer says, without sending anything again.
  keep(body.dataset.here);
  var reference = document.getElementById("reference");
  var shown = reference && reference.value;
  document.addEventListener("visibilitychange", function () { keep(); });

  // One reference is sent once, however often the button is touched.
  if (form) {
    form.addEventListener("submit", function () {
      keep();
      store(function (tab) { tab.setItem("sent", JSON.stringify({ to: form.action, typed: typed() })); });
      setTimeout(function () { form.querySelector("[type=submit]").disabled = true; }, 0);
    });
    window.addEventListener("pageshow", function () {
      form.querySelector("[type=submit]").disabled = false;
    });
  }

  // The page is loaded again when something has changed; while somebody is typing, only what it says
  // about the payment. Where there is no line, or too
  // many ask, it stays as it is, and asks again.
  var look = function () {
    fetch(location.href).then(function (answer) {
      return answer.status < 500 && answer.status !== 429 ? answer.text() : Promise.reject();
    }).then(function (text) {
      if (!form || reference.value === shown) {
        keep();
        location.reload();
        return;
      }
      var next = new DOMParser().parseFromString(text, "text/html");
      var state = document.getElementById("state");
      state.replaceChildren.apply(state, Array.from(next.getElementById("state").childNodes));
      listen(next.body.dataset.events);
    }).catch(function () { setTimeout(look, 4000); });
  };
  var listen = function (events) {
    if (!events) return;
    if (!window.EventSource) {
      setTimeout(look, 4000);
      return;
    }
    var source = new EventSource(events);
    var hear = function () {
      clearTimeout(patience);
      source.close();
      look();
    };
    // Whatever keeps the events away, the truth is one look away.
    var patience = setTimeout(hear, 25000);
    source.addEventListener("changed", hear);
  };
  listen(body.dataset.events);
})();
