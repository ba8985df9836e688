//! Every link and every form that a page offers, as every kind of person: what is offered is open, and what is open is
//! offered somewhere.

mod filled;
mod page;
mod pressed;
mod sent_again;
mod shown;
mod two_persons;
mod walk;
mod world;

use domain::access::{Caller, ClientCaller, EmployeeCaller, OwnerCaller};
use domain::rights::{Right, Rights};
use domain::second_factor::Proof;
use pages::dashboard::routes;
use testkit::employee::PASSWORD;
use testkit::{Browser, TestApp, either_engine};

use self::walk::Walk;
pub(super) use self::walk::route_of;
use self::world::World;

/// Somebody with a browser, and who that is to the table of operations.
pub(super) struct Person {
    who: String,
    browser: Browser,
    caller: Caller,
}

/// Pages that nothing leads to, and why.
const WITHOUT_A_LINK: [(&str, &str); 2] = [
    ("/app/components", "parts of pages as developers look at them; no release has it"),
    ("/app/webhooks/redeliveries/{redelivery_id}", "the form that begins the job leads there"),
];

impl World {
    async fn owner_in_person(&self, app: &TestApp) -> Person {
        let browser = app.browser();
        browser.sign_in_as(&self.owner).await;
        let (owner, session) = (self.owner.id.parse().unwrap(), a_session());
        let caller = Caller::Owner(OwnerCaller { owner, session, proof: Proof::NotAsked });
        Person { who: "the owner".to_owned(), browser, caller }
    }

    async fn employee(&self, app: &TestApp, number: u32, rights: &[Right]) -> Person {
        let names: Vec<&str> = rights.iter().map(|right| right.as_str()).collect();
        let employee = self.owner.employee(number, &names).await;
        let browser = app.browser();
        browser.sign_in(&employee.email, PASSWORD).await;
        let caller = Caller::Employee(EmployeeCaller {
            owner: self.owner.id.parse().unwrap(),
            session: a_session(),
            employee: employee.id.parse().unwrap(),
            rights: rights.iter().copied().collect::<Rights>(),
            proof: Proof::NotAsked,
        });
        Person { who: format!("who may {names:?}"), browser, caller }
    }

    async fn person_of(&self, app: &TestApp, client: &str, payments_enabled: bool) -> Person {
        let number = if payments_enabled { 1 } else { 2 };
        let person = self.owner.client_employee(client, number).await;
        let browser = app.browser();
        browser.sign_in(&person.email, PASSWORD).await;
        let caller = Caller::Client(ClientCaller {
            owner: self.owner.id.parse().unwrap(),
            session: a_session(),
            employee: person.id.parse().unwrap(),
            client: client.parse().unwrap(),
            payments_enabled,
            proof: Proof::NotAsked,
        });
        let who = format!("a client's person, payments enabled: {payments_enabled}");
        Person { who, browser, caller }
    }
}

/// Rules ask for no session in particular.
fn a_session() -> domain::ids::SessionId {
    "ses_00000000000000000000000000".parse().unwrap()
}

/// Follows all that each of them is offered from the first page on, and fails for all that was wrong with it.
async fn follow(people: Vec<Person>) {
    let mut wrong = Vec::new();
    for person in &people {
        let mut walk = Walk::of(person);
        walk.open_pages().await;
        walk.send_forms().await;
        wrong.extend(walk.wrong_ways());
        wrong.extend(walk.unreached(&WITHOUT_A_LINK.map(|(path, _)| path)));
    }
    assert!(wrong.is_empty(), "{} ways: {wrong:#?}", wrong.len());
}

/// Employees who may do that and nothing else, each one thing.
async fn of_one_right(app: &TestApp, world: &World, rights: impl Iterator<Item = Right>) {
    let mut people = Vec::new();
    for (right, number) in rights.zip(1..) {
        people.push(world.employee(app, number, &[right]).await);
    }
    follow(people).await;
}

/// The rights to change something that a page has a form for.
fn with_forms() -> impl Iterator<Item = Right> {
    let posted: Vec<Right> = routes()
        .iter()
        .filter(|route| route.method == "POST")
        .filter_map(|route| route.operation.rule.right())
        .collect();
    Right::all().filter(move |right| right.as_str().ends_with(":write") && posted.contains(right))
}

either_engine! {
    async fn an_owner_is_offered_all_that_it_may_and_all_of_it_is_open(app: TestApp) {
        let world = World::new(&app).await;
        follow(vec![world.owner_in_person(&app).await]).await;
    }

    async fn a_clients_people_are_offered_what_they_may_and_nothing_else(app: TestApp) {
        let world = World::new(&app).await;
        let people = vec![
            world.person_of(&app, &world.client, true).await,
            world.person_of(&app, &world.closed_client, false).await,
        ];
        follow(people).await;
    }

    async fn employees_who_may_all_or_nothing_are_offered_that(app: TestApp) {
        let world = World::new(&app).await;
        let all: Vec<Right> = Right::all().collect();
        follow(vec![world.employee(&app, 1, &[]).await, world.employee(&app, 2, &all).await]).await;
    }

    async fn employees_who_may_look_at_one_area_are_offered_that(app: TestApp) {
        let world = World::new(&app).await;
        let reading = Right::all().filter(|right| right.as_str().ends_with(":read"));
        of_one_right(&app, &world, reading).await;
    }

    async fn employees_who_look_at_all_and_change_one_area_are_offered_that(app: TestApp) {
        let world = World::new(&app).await;
        let mut people = Vec::new();
        for (right, number) in with_forms().zip(1..) {
            let reading = Right::all().filter(|right| right.as_str().ends_with(":read"));
            let rights: Vec<Right> = reading.chain([right]).collect();
            people.push(Person { who: format!("who may all:read, {right}"), ..world.employee(&app, number, &rights).await });
        }
        assert!(people.len() > 3);
        follow(people).await;
    }

    async fn employees_who_may_change_one_area_are_offered_that(app: TestApp) {
        let world = World::new(&app).await;
        let writing = Right::all().filter(|right| right.as_str().ends_with(":write"));
        of_one_right(&app, &world, writing).await;
    }
}
