//! Two persons at every form that changes something, as the pages have them: what both change is kept, what one has
//! changed is not undone by the other unseen, and an old form that is sent again is no new wish.

use std::collections::{BTreeMap, BTreeSet};

use testkit::{Browser, TestApp, either_engine};

use super::filled::{Field, Filled, filled};
use super::shown::{Place, Shown, look, post, shown};
use super::world::World;

/// Values for fields of a form.
type Edits = Vec<(String, Vec<String>)>;

/// Forms whose fields are one value, so that another value of any of them stands in the way.
const WHOLE: [&str; 1] = ["/app/keys/{key_id}/scope"];

/// Fields of a form that are one value together.
const PAIRS: [(&str, [&str; 2]); 1] =
    [("/app/links/{payment_link_id}/change", ["amount", "currency"])];

/// The number of forms of a route that are tried until each of its fields was.
const TRIED_MAX: usize = 6;

/// Two persons who look at the same.
struct Two {
    first: Browser,
    second: Browser,
}

/// The forms that carry along what they showed, by their routes, and what is wrong with the others.
async fn changing(browser: &Browser) -> (BTreeMap<&'static str, Vec<Place>>, Vec<String>) {
    let (shown, mut wrong) = shown(browser).await;
    let mut places = BTreeMap::<_, Vec<Place>>::new();
    for Shown { route, place, form } in shown {
        let is_filled = |(_, field): &(&String, &Field)| {
            field.values.iter().any(|value| !value.is_empty()) && !field.others().is_empty()
        };
        let shows = form.fields.iter().find(is_filled).map(|(name, _)| name.clone());
        match (form.is_changing(), shows) {
            (true, _) if route == OF_A_FILE => {}
            (true, _) => places.entry(route).or_default().push(place),
            (false, Some(field)) if !form.makes() && !FILLED_IN.contains(&route) => {
                wrong.push(format!("{}: {route} does not carry what {field} showed", place.page));
            }
            _ => {}
        }
    }
    (places, wrong)
}

/// Fields that no two persons change to two other values, and why.
const LEFT_OUT: [(&str, &str, &str); 0] = [];

/// The form whose field is a file, which no text tries: it has a test of its own.
pub(super) const OF_A_FILE: &str = "/app/profile/logo";

/// Forms that are filled in with something that is not in force, and so undo nothing.
pub(super) const FILLED_IN: [&str; 3] = ["/app/webhooks/check", "/app/webhooks/test", "/app/rates"];

/// Finds what the field takes: what is put into the form, and what the page shows of it then. Each is tried from the form
/// as it is, so that what it takes does not hang on what was tried before.
async fn accepted(browser: &Browser, place: &Place, name: &str) -> Vec<(Edits, Vec<String>)> {
    let mut accepted: Vec<(Edits, Vec<String>)> = Vec::new();
    let Some(start) = look(browser, place).await else { return accepted };
    let back: Edits =
        start.fields.iter().map(|(name, field)| (name.clone(), field.values.clone())).collect();
    for edits in tries(&start, name) {
        let Some(form) = look(browser, place).await else { break };
        if post(browser, &form.with(&edits)).await.status != 303 {
            continue;
        }
        let Some(now) = look(browser, place).await else { break };
        let (before, after) = (form.shows(name), now.shows(name));
        if before != after && accepted.iter().all(|(_, shown)| *shown != after) {
            accepted.push((edits, after));
        }
        post(browser, &now.with(&back)).await;
        if accepted.len() >= 2 {
            break;
        }
    }
    accepted
}

/// Lists what may be put into a field: another value, and with it a box where the one needs the other.
fn tries(form: &Filled, name: &str) -> Vec<Edits> {
    let field = &form.fields[name];
    let alone = field.others().into_iter().map(|other| vec![(name.to_owned(), other)]);
    let mut tries: Vec<Edits> = alone.collect();
    for (beside, other) in form.fields.iter().filter(|(beside, _)| *beside != name) {
        for value in other.others().into_iter().take(3) {
            for own in field.others() {
                if !other.offered.is_empty() && !field.offered.is_empty() {
                    tries.push(vec![(name.to_owned(), own), (beside.clone(), value.clone())]);
                }
            }
        }
    }
    tries
}

impl Two {
    /// Both change the same field: the second learns of it, sees both values, and may go on.
    async fn at_the_same_field(
        &self,
        place: &Place,
        name: &str,
        [one, other]: [&(Edits, Vec<String>); 2],
    ) -> Result<(), String> {
        let gone = || format!("{place:?} has gone");
        let old = look(&self.first, place).await.ok_or_else(gone)?;
        let seen = look(&self.second, place).await.ok_or_else(gone)?;
        let first = old.with(&one.0);
        expect("the first", post(&self.first, &first).await.status, 303)?;
        let shows = async || Some(look(&self.first, place).await?.shows(name));
        // Sent as it stands, with no more than its boxes ticked, an old page undoes nothing, whatever it is answered.
        let beside: Edits = other.0.iter().filter(|(field, _)| field != name).cloned().collect();
        post(&self.second, &seen.with(&beside)).await;
        if shows().await.as_ref() != Some(&one.1) {
            return Err("the second's old page has overwritten it".to_owned());
        }
        let answer = post(&self.second, &seen.with(&other.0)).await;
        expect("the second", answer.status, 409)?;
        if shows().await.as_ref() != Some(&one.1) {
            return Err("the second has overwritten it".to_owned());
        }
        let page = answer.text();
        let again = filled(&page).into_iter().find(|form| form.action == place.action);
        let again = again.ok_or("the form is not there again")?;
        let shown = again.shows(name);
        let typed = other.0.iter().find(|(field, _)| field == name);
        let typed = typed.map(|(_, values)| sorted(values)).unwrap_or_default();
        if typed != sorted(&shown) {
            return Err(format!("what was typed is lost: {shown:?}"));
        }
        if !page.contains("Ahora ") && !page.contains("vale ahora") {
            return Err("what is in force is not shown".to_owned());
        }
        // A form that says nothing of what it showed undoes nothing either.
        let mut bare = seen.with(&other.0);
        bare.hidden.retain(|(hidden, _)| !hidden.starts_with("was-"));
        expect("without what it showed", post(&self.second, &bare).await.status, 409)?;
        // Seen and sent again, it is the second's wish.
        expect("the second again", post(&self.second, &again).await.status, 303)?;
        if shows().await.as_ref() != Some(&other.1) {
            return Err("the second has not got its way".to_owned());
        }
        // The first one's form again, by *back* or from an open tab, is no new wish.
        expect("the old form", post(&self.first, &first).await.status, 409)?;
        if shows().await.as_ref() != Some(&other.1) {
            return Err("an old form was a new wish".to_owned());
        }
        Ok(())
    }

    /// The first changes a field that has one other value. Nothing else can be wished for, and the second's old page, which
    /// shows the value of before, does not bring that back.
    async fn at_a_switch(
        &self,
        place: &Place,
        name: &str,
        one: &(Edits, Vec<String>),
    ) -> Result<(), String> {
        let gone = || format!("{place:?} has gone");
        let old = look(&self.first, place).await.ok_or_else(gone)?;
        let seen = look(&self.second, place).await.ok_or_else(gone)?;
        expect("the first", post(&self.first, &old.with(&one.0)).await.status, 303)?;
        let mut bare = seen.clone();
        bare.hidden.retain(|(hidden, _)| !hidden.starts_with("was-"));
        let beside: Edits = one.0.iter().filter(|(field, _)| field != name).cloned().collect();
        for form in [seen.clone(), seen.with(&beside), bare, seen.with(&one.0)] {
            post(&self.second, &form).await;
            if look(&self.first, place).await.ok_or_else(gone)?.shows(name) != one.1 {
                return Err(format!(
                    "the second's old page has brought {:?} back",
                    form.shows(name)
                ));
            }
        }
        Ok(())
    }

    /// Each changes another field: both are kept. Answers whether the two fit together.
    async fn at_two_fields(
        &self,
        (place, is_whole): (&Place, bool),
        [(one, first), (other, second)]: [(&str, &(Edits, Vec<String>)); 2],
    ) -> Result<bool, String> {
        let gone = || format!("{place:?} has gone");
        let own = look(&self.first, place).await.ok_or_else(gone)?;
        let seen = look(&self.second, place).await.ok_or_else(gone)?;
        let is_so_already = seen.shows(one) == first.1 || seen.shows(other) == second.1;
        if is_so_already || post(&self.first, &own.with(&first.0)).await.status != 303 {
            return Ok(false);
        }
        let after = look(&self.first, place).await.ok_or_else(gone)?;
        let status = post(&self.second, &seen.with(&second.0)).await.status;
        let kept = look(&self.first, place).await.ok_or_else(gone)?;
        let (wanted, shows) = match is_whole {
            true => (409, after.shows(other)),
            false => (303, second.1.clone()),
        };
        expect("the second", status, wanted)?;
        if kept.shows(one) != after.shows(one) || kept.shows(other) != shows {
            return Err(format!("{one} or {other} is lost: {kept:?}"));
        }
        Ok(true)
    }
}

fn sorted(values: &[String]) -> BTreeSet<&str> {
    values.iter().map(String::as_str).filter(|value| !value.is_empty()).collect()
}

fn expect(who: &str, status: u16, wanted: u16) -> Result<(), String> {
    if status == wanted { Ok(()) } else { Err(format!("{who} is answered {status}")) }
}

/// The findings of two persons at a form.
#[derive(Default)]
struct Found {
    wrong: Vec<String>,
    /// The fields that its pages carry along what they showed of.
    fields: BTreeSet<String>,
    /// Those of them that both have changed.
    by_both: BTreeSet<String>,
    /// How often each changed another field.
    by_each: usize,
}

/// Finds all that is wrong with a form. Of the fields, those are left out that two persons have tried already.
async fn try_form(two: &Two, route: &str, place: &Place, found: &mut Found) {
    let mut taken = Vec::new();
    let Some(form) = look(&two.first, place).await else { return };
    found.fields.extend(form.changing());
    // A field may take more by what stands in another: those that took nothing come once more.
    for name in form.changing().into_iter().chain(form.changing()) {
        if found.by_both.contains(&name) {
            continue;
        }
        let values = accepted(&two.first, place, &name).await;
        let shown = look(&two.first, place).await.map(|form| form.shows(&name));
        let others: Vec<_> =
            values.iter().filter(|(_, value)| Some(value) != shown.as_ref()).collect();
        let tried = match others[..] {
            [one, other, ..] => two.at_the_same_field(place, &name, [one, other]).await,
            [one] => two.at_a_switch(place, &name, one).await,
            [] => continue,
        };
        found.by_both.insert(name.clone());
        if let Err(error) = tried {
            found.wrong.push(format!("{route}, {name} by both: {error}"));
        }
        taken.push((name, values));
    }
    for pair in taken.windows(2) {
        let [(one, firsts), (other, seconds)] = pair else { continue };
        let is_whole = WHOLE.contains(&route) || PAIRS.contains(&(route, [one, other]));
        for (first, second) in firsts.iter().zip(seconds) {
            let at = [(&**one, first), (&**other, second)];
            match two.at_two_fields((place, is_whole), at).await {
                Ok(fits) => found.by_each += usize::from(fits),
                Err(error) => found.wrong.push(format!("{route}, {one} and {other}: {error}")),
            }
        }
    }
}

/// In how many tests the forms are tried, side by side.
const PARTS: usize = 3;

/// Tries every so-manieth form.
async fn try_forms(app: &TestApp, part: usize) {
    let world = World::new(app).await;
    let two = Two { first: app.browser(), second: app.browser() };
    two.first.sign_in_as(&world.owner).await;
    two.second.sign_in_as(&world.owner).await;
    let (places, mut wrong) = changing(&two.first).await;
    assert!(places.len() >= 9, "{places:#?}");
    let mut by_each = 0;
    for (route, places) in places.iter().skip(part).step_by(PARTS) {
        let mut found = Found::default();
        for place in places.iter().rev().take(TRIED_MAX) {
            if found.by_both.is_empty() || found.by_both != found.fields {
                try_form(&two, route, place, &mut found).await;
            }
        }
        wrong.append(&mut found.wrong);
        by_each += found.by_each;
        let is_left_out =
            |field: &&String| LEFT_OUT.iter().any(|(at, name, _)| at == route && name == field);
        let untried = found.fields.difference(&found.by_both).filter(|field| !is_left_out(field));
        wrong.extend(untried.map(|field| format!("{route}: no two persons have changed {field}")));
        let tried = found.by_both.iter().filter(is_left_out);
        wrong.extend(tried.map(|field| format!("{route}: {field} is left out, and can be tried")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(by_each > 2, "{by_each} times");
}

either_engine! {
    async fn two_persons_at_every_changing_form_undo_nothing_of_each_other_1(app: TestApp) {
        try_forms(&app, 0).await;
    }

    async fn two_persons_at_every_changing_form_undo_nothing_of_each_other_2(app: TestApp) {
        try_forms(&app, 1).await;
    }

    async fn two_persons_at_every_changing_form_undo_nothing_of_each_other_3(app: TestApp) {
        try_forms(&app, 2).await;
    }
}
