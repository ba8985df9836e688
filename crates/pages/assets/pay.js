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
  // about the payment.
  var events = body.dataset.events;
  if (events) {
    var again = function () {
      if (!form || !form.querySelector("#reference").value) {
        location.replace(location.href);
        return;
      }
      fetch(location.href).then(function (answer) { return answer.text(); }).then(function (text) {
        var next = new DOMParser().parseFromString(text, "text/html").getElementById("state");
        document.getElementById("state").replaceChildren.apply(
          document.getElementById("state"), Array.from(next.childNodes));
      });
    };
    if (window.EventSource) {
      var source = new EventSource(events);
      source.addEventListener("changed", function () { source.close(); again(); });
      // Whatever keeps the events away, the truth is one look away.
      setTimeout(function () { source.close(); again(); }, 25000);
    } else {
      setTimeout(again, 4000);
    }
  }
})();
