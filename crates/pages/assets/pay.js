// What makes the page nicer where scripts run. Everything works without it.
(function () {
  "use strict";
  var body = document.body;

  // Copying what is to be typed into the bank's application.
  if (navigator.clipboard) {
    var told = document.getElementById("told");
    document.querySelectorAll("[data-copy]").forEach(function (button) {
      var label = button.firstChild.data;
      button.hidden = false;
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(button.dataset.copy).then(function () {
          button.firstChild.data = body.dataset.copied;
          told.textContent = button.textContent;
          setTimeout(function () { button.firstChild.data = label; told.textContent = ""; }, 2000);
        });
      });
    });
  }

  // One reference is sent once, however often the button is touched.
  var form = document.querySelector("form");
  if (form) {
    form.addEventListener("submit", function () {
      setTimeout(function () { form.querySelector("button").disabled = true; }, 0);
    });
    window.addEventListener("pageshow", function () {
      form.querySelector("button").disabled = false;
    });
  }

  // The page is loaded again when something has changed; while somebody is typing, only what it says
  // about the payment. Where there is no line, or too
  // many ask, it stays as it is, and asks again.
  var look = function () {
    fetch(location.href).then(function (answer) {
      return answer.status < 500 && answer.status !== 429 ? answer.text() : Promise.reject();
    }).then(function (text) {
      if (!form || !form.querySelector("#reference").value) {
        location.replace(location.href);
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
