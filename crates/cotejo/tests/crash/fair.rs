//! A shop whose links all end with an event, and what must hold of the events that its system receives.

use std::collections::{HashMap, HashSet};
use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use serde_json::json;
use testkit::Engine;
use testkit::scripted::Play;

use crate::cast::Owner;
use crate::http::Connection;
use crate::program::{Node, PROGRAM, Site};
use crate::shop::{Receiver, Shop, Webhook};
use crate::stage::Stage;

/// How many make events at once.
const MAKERS: usize = 8;

/// Query that counts the deliveries that wait to be sent.
pub(crate) const PENDING: &str = "select count(*) from webhook_deliveries where state = 0";

/// A shop whose links all end with an event, and its system, which is notified of them.
pub(crate) struct Fair {
    pub(crate) site: Site,
    pub(crate) shop: Shop,
    pub(crate) receiver: Receiver,
    /// The links whose end was answered: their events are there, whatever happens next.
    pub(crate) answered: Mutex<HashSet<String>>,
}

impl Fair {
    /// A shop on a database of its own, whose system answers by `script`.
    pub(crate) fn open(
        engine: Engine,
        script: impl Fn(&Webhook) -> Play + Send + Sync + 'static,
    ) -> Self {
        let mut site = Site::on(engine);
        site.settings = vec![
            ("COTEJO_WEBHOOKS_ALLOW_PRIVATE", "true".to_owned()),
            ("COTEJO_HTTP_ATTEMPTS_PER_MINUTE", "0".to_owned()),
        ];
        let owner = Owner::make(&site, "ana", 1);
        let node = site.start();
        let shop = Shop::on_the_sandbox(owner, node.addr);
        node.stop();
        let receiver = Receiver::open(&shop.secret, script);
        Self { site, shop, receiver, answered: Mutex::default() }
    }

    /// Starts a server that notifies nobody.
    pub(crate) fn start_in_silence(&self) -> Node {
        let mut program = Command::new(PROGRAM);
        program.env("COTEJO_WEBHOOKS_DELIVER", "false");
        self.site.launch_by(program, "a").wait()
    }

    /// Makes an event, of a link that is made for it and rejected at once.
    pub(crate) fn make(&self, line: &mut Connection) -> io::Result<()> {
        let Shop { owner, accounts, .. } = &self.shop;
        let link = self.shop.ask_for_money(line, &accounts[0], &self.receiver.url())?;
        let target = format!("/v1/paymentlink/{link}/reject");
        let answer = line.call(("POST", &target), &owner.keys[0].text, Some(&json!({})))?;
        assert_eq!(answer.status, 200, "{answer:?}");
        self.answered.lock().unwrap().insert(link);
        Ok(())
    }

    /// How many events wait to be sent.
    pub(crate) fn pending(&self) -> i64 {
        self.site.database.number(PENDING)
    }

    /// Lists the errors in what was received, once nothing waits any more; `cut` events at the most were under way when
    /// a server was killed. Returns the number of events received again, too.
    pub(crate) fn violations(&self, cut: usize) -> (usize, Vec<String>) {
        let mut wrong = Vec::new();
        let mut events: HashMap<String, Vec<Webhook>> = HashMap::new();
        for webhook in self.receiver.received() {
            if !webhook.is_signed || webhook.status != "failed" {
                wrong.push(format!("{webhook:?}"));
            }
            events.entry(webhook.event.clone()).or_default().push(webhook);
        }
        for received in events.values() {
            let [first, others @ ..] = received.as_slice() else { continue };
            if others.iter().any(|other| (&other.link, &other.body) != (&first.link, &first.body)) {
                wrong.push(format!("not in the same words: {received:?}"));
            }
            // In whatever order the receiver came to read them.
            if received.iter().filter(|webhook| !webhook.may_repeat).count() > 1 {
                wrong.push(format!("again, without a word of it: {received:?}"));
            }
        }
        let reported: HashSet<&str> =
            events.values().map(|received| received[0].link.as_str()).collect();
        let answered = self.answered.lock().unwrap();
        let lost = answered.iter().filter(|link| !reported.contains(link.as_str()));
        wrong.extend(lost.map(|link| format!("{link} has ended and nobody was told")));
        let again = events.values().map(|received| received.len() - 1).sum();
        if again > cut {
            wrong.push(format!("{again} were heard again, and {cut} were on their way at kills"));
        }
        for query in [
            "select count(*) from webhook_deliveries",
            "select count(*) from webhook_deliveries where state = 1",
            "select count(distinct subject_id) from webhook_deliveries",
        ] {
            let found = self.site.database.number(query);
            if usize::try_from(found).unwrap() != events.len() {
                wrong.push(format!("{query}: {found}, and {} were heard", events.len()));
            }
        }
        (again, wrong)
    }
}

/// Makers of events at work, until the stage is over.
pub(crate) fn makers(fair: &Arc<Fair>, stage: &Arc<Stage>) -> Vec<JoinHandle<()>> {
    let maker = |_| {
        let (fair, stage) = (Arc::clone(fair), Arc::clone(stage));
        thread::spawn(move || {
            let mut served = 0;
            while let Some((addr, server)) = stage.server_after(served) {
                // A call that fails on its connection has met a kill: on to the next server.
                if let Ok(mut line) = Connection::to(addr) {
                    while !stage.is_over() && fair.make(&mut line).is_ok() {}
                }
                served = server;
            }
        })
    };
    (0..MAKERS).map(maker).collect()
}
