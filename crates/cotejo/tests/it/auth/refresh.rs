//! `POST /auth/refresh`

use std::time::Duration;

use app::admin::{EndedSessions, Operator, Sessions, rotate_session_key};
use domain::ids::SessionId;
use domain::session::{AGE_MAX, GRACE, IDLE_MAX, Session, TOKEN_LIFETIME};
use futures_util::future::join_all;
use serde_json::{Value, json};
use store::tx::Tx;
use store::{Lane, Meter, sessions};
use testkit::{Owner, Principal, Response, Setup, TestApp, both_engines};

const SECOND: Duration = Duration::from_secs(1);

/// Tokens that a session goes on with.
pub(super) struct Tokens {
    pub(super) session: Principal,
    pub(super) refresh: String,
}

impl Tokens {
    fn of(app: &TestApp, answer: &Value) -> Self {
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        Self { session: app.nobody().with_bearer(&text("token")), refresh: text("refresh_token") }
    }
}

/// A new session of the owner.
pub(super) async fn sign_in(app: &TestApp, owner: &Owner) -> Tokens {
    let body = json!({ "email": owner.email, "password": owner.password });
    Tokens::of(app, &app.nobody().post("/auth/login", body).await.ok())
}

pub(super) async fn refresh(app: &TestApp, token: &str) -> Response {
    app.nobody().post("/auth/refresh", json!({ "refresh_token": token })).await
}

/// Rotates the key that signs tokens, for the next start.
async fn rotate(app: &TestApp, sessions: Sessions) {
    let service = app.app();
    let operator = Operator::of(service);
    rotate_session_key(&operator, &service.vault, sessions, |_| ()).await.unwrap();
}

async fn next(app: &TestApp, token: &str) -> Tokens {
    Tokens::of(app, &refresh(app, token).await.ok())
}

both_engines! {
    async fn a_session_goes_on_past_its_token(app: TestApp) {
        let owner = app.owner().await;
        let first = sign_in(&app, &owner).await;
        app.clock().advance(TOKEN_LIFETIME);
        first.session.get("/me").await.refused(401, "UNAUTHORIZED");

        let mut answer = refresh(&app, &first.refresh).await.ok();
        let second = Tokens::of(&app, &answer);
        assert_ne!(second.refresh, first.refresh);
        second.session.get("/me").await.ok();
        assert!(answer["message"].take().is_string());
        let me = second.session.get("/me").await.ok();
        assert_eq!((&answer["user"], &answer["person"]), (&me["user"], &me["person"]));
        assert_eq!(answer["expires_at"], "2026-11-20T12:30:00.000Z");
        let fields: Vec<_> = answer.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["expires_at", "message", "person", "refresh_token", "token", "user"]);
        // It is one session all along.
        let sessions = "select count(*) from sessions";
        assert_eq!(app.database().number(sessions), 2);
    }

    async fn the_former_token_gets_the_same_successor_for_half_a_minute(app: TestApp) {
        let owner = app.owner().await;
        let first = sign_in(&app, &owner).await;
        let second = next(&app, &first.refresh).await;
        app.clock().advance(GRACE - SECOND);
        let again = next(&app, &first.refresh).await;
        assert_eq!(again.refresh, second.refresh);
        again.session.get("/me").await.ok();
        // Its use does not count as another turn.
        next(&app, &second.refresh).await;
    }

    async fn calls_at_once_with_one_token_get_one_successor(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let first = sign_in(&app, &owner).await;
        let answers = join_all((0..12).map(|_| refresh(&app, &first.refresh))).await;
        let mut successors: Vec<_> =
            answers.iter().map(|answer| Tokens::of(&app, &answer.ok()).refresh).collect();
        successors.dedup();
        assert_eq!(successors.len(), 1);
        assert_eq!(app.database().number("select max(turn) from sessions"), 1);
    }

    async fn a_token_that_comes_later_ends_the_session_for_both_who_have_it(app: TestApp) {
        let owner = app.owner().await;
        let first = sign_in(&app, &owner).await;
        let second = next(&app, &first.refresh).await;
        app.clock().advance(GRACE);
        refresh(&app, &first.refresh).await.refused(401, "UNAUTHORIZED");
        second.session.get("/me").await.refused(401, "UNAUTHORIZED");
        refresh(&app, &second.refresh).await.refused(401, "UNAUTHORIZED");
        // Other sessions of the owner have nothing to do with it.
        owner.get("/me").await.ok();
        let audited = "select count(*) from audit where action = 'RefreshTokenReused'";
        assert_eq!(app.database().number(audited), 1);
    }

    async fn a_token_of_two_turns_ago_has_no_grace(app: TestApp) {
        let owner = app.owner().await;
        let first = sign_in(&app, &owner).await;
        let second = next(&app, &first.refresh).await;
        let third = next(&app, &second.refresh).await;
        refresh(&app, &first.refresh).await.refused(401, "UNAUTHORIZED");
        third.session.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn a_session_that_nobody_goes_on_with_is_over(app: TestApp) {
        let owner = app.owner().await;
        let first = sign_in(&app, &owner).await;
        app.clock().advance(IDLE_MAX - SECOND);
        let second = next(&app, &first.refresh).await;
        app.clock().advance(IDLE_MAX);
        refresh(&app, &second.refresh).await.refused(401, "UNAUTHORIZED");
        second.session.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn after_so_many_days_somebody_signs_in_again(app: TestApp) {
        let owner = app.owner().await;
        let mut tokens = sign_in(&app, &owner).await;
        let end = app.now().plus(AGE_MAX);
        let step = Duration::from_secs(29 * 24 * 60 * 60);
        while app.now().plus(step) < end {
            app.clock().advance(step);
            tokens = next(&app, &tokens.refresh).await;
        }
        app.clock().advance_to(end.minus(SECOND));
        tokens = next(&app, &tokens.refresh).await;
        tokens.session.get("/me").await.ok();
        app.clock().advance(SECOND);
        tokens.session.get("/me").await.refused(401, "UNAUTHORIZED");
        refresh(&app, &tokens.refresh).await.refused(401, "UNAUTHORIZED");
    }

    async fn neither_token_is_taken_for_the_other(app: TestApp) {
        let owner = app.owner().await;
        let Tokens { session, refresh: token } = sign_in(&app, &owner).await;
        let body = json!({ "email": owner.email, "password": owner.password });
        let bearer = app.nobody().post("/auth/login", body).await.ok()["token"].clone();
        refresh(&app, bearer.as_str().unwrap()).await.refused(401, "UNAUTHORIZED");
        let caller = app.nobody().with_bearer(&token);
        caller.get("/me").await.refused(401, "UNAUTHORIZED");
        session.get("/me").await.ok();
    }

    async fn a_token_that_was_changed_refreshes_nothing_and_ends_nothing(app: TestApp) {
        let owner = app.owner().await;
        let first = sign_in(&app, &owner).await;
        let second = next(&app, &first.refresh).await;
        let (head, signature) = second.refresh.rsplit_once('.').unwrap();
        let flipped: String = signature.chars().rev().collect();
        for text in [format!("{head}.{flipped}"), format!("{head}."), "a.b.c".into(), "".into()] {
            refresh(&app, &text).await.refused(401, "UNAUTHORIZED");
        }
        next(&app, &second.refresh).await;
    }

    async fn a_token_outlives_a_restart(mut app: TestApp) {
        let owner = app.owner().await;
        let first = sign_in(&app, &owner).await;
        let second = next(&app, &first.refresh).await;
        app.restart().await;
        assert_eq!(next(&app, &first.refresh).await.refresh, second.refresh);
        next(&app, &second.refresh).await;
    }

    async fn after_a_rotation_of_the_key_sessions_go_on_and_what_it_signed_ends(mut app: TestApp) {
        let owner = app.owner().await;
        let (first, idle) = (sign_in(&app, &owner).await, sign_in(&app, &owner).await);
        rotate(&app, Sessions::GoOn).await;
        app.restart().await;
        first.session.get("/me").await.ok();
        let second = next(&app, &first.refresh).await;
        second.session.get("/me").await.ok();
        app.clock().advance(Duration::from_secs(15 * 60));
        first.session.get("/me").await.refused(401, "UNAUTHORIZED");
        // A session that nobody used meanwhile goes on by its refresh token.
        next(&app, &idle.refresh).await;
        next(&app, &second.refresh).await;
    }

    async fn a_rotation_can_end_all_sessions(mut app: TestApp) {
        let owner = app.owner().await;
        let tokens = sign_in(&app, &owner).await;
        rotate(&app, Sessions::GoOn).await;
        rotate(&app, Sessions::End).await;
        app.restart().await;
        tokens.session.get("/me").await.refused(401, "UNAUTHORIZED");
        refresh(&app, &tokens.refresh).await.refused(401, "UNAUTHORIZED");
        let again = sign_in(&app, &owner).await;
        again.session.get("/me").await.ok();
    }

    async fn the_sessions_of_all_owners_are_ended_a_few_at_a_time(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        let tokens = sign_in(&app, &owner).await;
        other.post("/auth/logout", json!({})).await.ok();
        let none = app.owner().await;
        none.post("/auth/logout", json!({})).await.ok();
        let (service, id) = (app.app(), other.id.parse().unwrap());
        let (opened, ids) = (Session::begin(service.clock.now()), service.ids.clone());
        let many = move |tx: &mut Tx<'_>| {
            for _ in 0..1_001 {
                let session = SessionId::new(&*ids, opened.created_at);
                sessions::insert(tx, (id, None), session, (&opened, false), None)?;
            }
            Ok(())
        };
        service.store.write(&Meter::default(), Lane::Admission, id, many).await.unwrap();
        let mut progress = Vec::new();
        let (operator, end) = (Operator::of(service), Sessions::End);
        let rotated = rotate_session_key(&operator, &service.vault, end, |done| progress.push(done));
        let ended = EndedSessions { owners: 2, sessions: 1_003 };
        assert_eq!(rotated.await.unwrap().ended, Some(ended));
        assert_eq!(progress, [ended]);
        assert_eq!(app.database().number("select count(*) from sessions where ended_at is null"), 0);
        tokens.session.get("/me").await.refused(401, "UNAUTHORIZED");
        let audited = "select count(*) from audit where action = 'EndAllSessions'";
        assert_eq!(app.database().number(audited), 2, "each owner is told once");
        // Again there is nothing to end.
        let rotated = rotate_session_key(&operator, &service.vault, end, |_| ()).await.unwrap();
        assert_eq!(rotated.ended, Some(EndedSessions::default()));
    }

    async fn an_owner_that_is_not_active_learns_so_and_loses_no_turn(app: TestApp) {
        let owner = app.owner().await;
        let first = sign_in(&app, &owner).await;
        app.tamper("update owner_profiles set is_active = false").await;
        refresh(&app, &first.refresh).await.refused(403, "USER_IS_NOT_ACTIVE");
        app.tamper("update owner_profiles set is_active = true").await;
        next(&app, &first.refresh).await;
    }

    async fn the_token_is_needed(app: TestApp) {
        for body in [json!({}), json!({ "refresh_token": null }), json!({ "refresh_token": 1 })] {
            let body = app.nobody().post("/auth/refresh", body).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(body["details"][0]["field"], "refresh_token");
        }
    }

    async fn attempts_are_counted(setup: Setup) {
        let app = setup.attempts_per_minute(3).start().await;
        for _ in 0..3 {
            refresh(&app, "a.b.c").await.refused(401, "UNAUTHORIZED");
        }
        refresh(&app, "a.b.c").await.refused(429, "REQUEST_LIMIT_REACHED");
    }

    async fn good_tokens_have_no_limit_and_bad_ones_keep_nobody_from_signing_in(setup: Setup) {
        let app = setup.attempts_per_minute(3).start().await;
        // Making an owner signs it in.
        let owner = app.owner().await;
        let mut tokens = sign_in(&app, &owner).await;
        for _ in 0..5 {
            tokens = next(&app, &tokens.refresh).await;
        }
        for _ in 0..4 {
            refresh(&app, "a.b.c").await;
        }
        refresh(&app, "a.b.c").await.refused(429, "REQUEST_LIMIT_REACHED");
        next(&app, &tokens.refresh).await;
        sign_in(&app, &owner).await;
    }
}
