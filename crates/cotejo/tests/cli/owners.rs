//! What the operator does about owners, clients and keys: by the running server, or without one.

use std::io::Write;
use std::process::Stdio;
use std::time::{SystemTime, UNIX_EPOCH};

use domain::time::Timestamp;
use serde_json::{Value, json};
use testkit::Authenticator;

use crate::program::{Data, Serving, text};

/// An owner that the command line has made.
fn make(data: &Data, email: &str) -> Value {
    data.json(&["owner", "create", "--email", email, "--credits", "10", "--json"])
}

fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

/// Signs in with that password, and returns the status and the answer, which has the session's token.
fn sign_in(server: &Serving, email: &str, password: &str) -> (u16, Value) {
    let body = json!({ "email": email, "password": password }).to_string();
    let (status, answer) = server.ask("POST", "/auth/login", None, &body);
    (status, serde_json::from_str(&answer).unwrap())
}

/// Whom the server takes the credential for.
fn me(server: &Serving, credential: &str) -> u16 {
    server.ask("GET", "/me", Some(credential), "").0
}

#[test]
fn owners_are_listed_with_and_without_a_server() {
    let data = Data::new();
    let made = [make(&data, "ana@example.com"), make(&data, "eva@example.com")];
    let listed = data.json(&["owner", "list", "--json"]);
    let owners = listed["owners"].as_array().unwrap();
    assert_eq!(owners.len(), 2);
    for (owner, made) in owners.iter().zip(&made) {
        assert_eq!((&owner["user_id"], &owner["email"]), (&made["user_id"], &made["email"]));
        assert_eq!((&owner["balance"], &owner["is_active"]), (&json!(10), &json!(true)));
    }
    let server = data.serve();
    assert_eq!(data.json(&["owner", "list", "--json"]), listed);
    // For a person a line is an owner.
    let lines = text(&data.run(&["owner", "list"]).stdout);
    assert_eq!(lines.lines().count(), 2);
    assert!(lines.lines().all(|line| line.contains("is_active: true")), "{lines}");
    server.stop();
}

#[test]
fn an_owner_that_is_deactivated_is_shut_out_at_once() {
    let data = Data::new();
    let made = make(&data, "ana@example.com");
    let other = make(&data, "eva@example.com");
    let server = data.serve();
    let (email, password) = (field(&made, "email"), field(&made, "password"));
    let key = field(&made, "api_key");
    let (_, session) = sign_in(&server, email, password);
    let token = field(&session, "token");
    assert_eq!((me(&server, key), me(&server, token)), (200, 200));

    let shut = data.json(&["owner", "deactivate", "--owner", email, "--json"]);
    assert_eq!((&shut["user_id"], &shut["is_active"]), (&made["user_id"], &json!(false)));
    // Its sessions are over, and its keys wait.
    assert_eq!((me(&server, key), me(&server, token)), (403, 401));
    let (status, refused) = sign_in(&server, email, password);
    assert_eq!((status, &refused["error"]), (403, &json!("USER_IS_NOT_ACTIVE")));
    assert_eq!(me(&server, field(&other, "api_key")), 200, "others go on");

    let id = field(&made, "user_id");
    data.json(&["owner", "activate", "--owner", id, "--json"]);
    assert_eq!((me(&server, key), me(&server, token)), (200, 401));
    server.stop();
}

#[test]
fn an_owner_gets_another_address_and_one_that_leads_nowhere_is_free() {
    let data = Data::new();
    let made = make(&data, "ana@example.com");
    let other = make(&data, "eva@example.com");
    let server = data.serve();
    let password = field(&made, "password");
    let (_, session) = sign_in(&server, "ana@example.com", password);
    let set = ["owner", "set-email", "--owner", "ana@example.com", "--json", "--email"];
    let refused = |arguments: &[&str], reason: &str| {
        let output = data.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains(reason), "{}", text(&output.stderr));
    };
    let whose = format!("eva@example.com leads to the owner of {}", field(&other, "user_id"));
    refused(&[&set[..], &["eva@example.com"]].concat(), &whose);
    let nobody = ["--person", "emp_00000000000000000000000000"];
    refused(&[&set[..], &["x@example.com"], &nobody].concat(), "nobody emp_");
    let answer = data.json(&[&set[..], &["ana.nueva@example.com"]].concat());
    assert_eq!(answer, json!({ "user_id": made["user_id"], "email": "ana.nueva@example.com" }));
    assert_eq!(me(&server, field(&session, "token")), 401);
    assert_eq!(sign_in(&server, "ana@example.com", password).0, 401);
    assert_eq!(sign_in(&server, "ana.nueva@example.com", password).0, 200);

    // The former one is anybody's at once; one that is in use is not let go.
    let free = |email: &str| data.json(&["owner", "free-email", "--email", email, "--json"]);
    assert_eq!(free("ana@example.com"), json!({ "email": "ana@example.com", "freed": false }));
    refused(&["owner", "free-email", "--email", "eva@example.com"], "leads to the owner of");
    data.json(&[
        "owner",
        "set-email",
        "--owner",
        "eva@example.com",
        "--email",
        "ana@example.com",
        "--json",
    ]);
    assert_eq!(sign_in(&server, "ana@example.com", field(&other, "password")).0, 200);
    server.stop();
}

#[test]
fn a_password_that_is_reset_ends_the_sessions_and_not_the_keys() {
    let data = Data::new();
    let made = make(&data, "ana@example.com");
    let server = data.serve();
    let (email, password) = (field(&made, "email"), field(&made, "password"));
    let (_, session) = sign_in(&server, email, password);
    let reset = data.json(&["owner", "reset-password", "--owner", email, "--json"]);
    assert_eq!(reset["user_id"], made["user_id"]);
    let renewed = field(&reset, "password");
    assert_ne!(renewed, password);

    assert_eq!(me(&server, field(&session, "token")), 401);
    let refresh = json!({ "refresh_token": session["refresh_token"] }).to_string();
    assert_eq!(server.ask("POST", "/auth/refresh", None, &refresh).0, 401);
    assert_eq!(sign_in(&server, email, password).0, 401);
    let (status, session) = sign_in(&server, email, renewed);
    assert_eq!((status, me(&server, field(&session, "token"))), (200, 200));
    assert_eq!(me(&server, field(&made, "api_key")), 200);
    server.stop();
}

#[test]
fn a_person_who_signs_in_with_an_address_gets_another_password() {
    let data = Data::new();
    let made = make(&data, "ana@example.com");
    let server = data.serve();
    let (_, owner) = sign_in(&server, "ana@example.com", field(&made, "password"));
    let owner = field(&owner, "token");
    let ask = |path: &str, bearer: Option<&str>, body: Value| {
        let (status, answer) = server.ask("POST", path, bearer, &body.to_string());
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str::<Value>(&answer).unwrap()
    };
    let body = json!({ "email": "luis@example.com", "name": "Luis", "permissions": [] });
    let invited = ask("/v1/employees", Some(owner), body);
    let token = invited["invitation_url"].as_str().unwrap().rsplit('/').next().unwrap();
    let former = "una frase de prueba";
    ask("/auth/invitations/accept", None, json!({ "token": token, "password": former }));
    let (_, luis) = sign_in(&server, "luis@example.com", former);

    let reset = data.json(&["owner", "reset-password", "--email", "Luis@example.com", "--json"]);
    assert_eq!(reset["user_id"], made["user_id"]);
    assert_eq!(reset["employee_id"], invited["employee"]["id"]);
    assert_eq!(me(&server, field(&luis, "token")), 401);
    assert_eq!(sign_in(&server, "luis@example.com", former).0, 401);
    assert_eq!(sign_in(&server, "luis@example.com", field(&reset, "password")).0, 200);
    // The owner goes on, and is found by its address, too.
    assert_eq!(me(&server, owner), 200);
    let reset = data.json(&["owner", "reset-password", "--email", "ana@example.com", "--json"]);
    assert_eq!((&reset["user_id"], &reset["employee_id"]), (&made["user_id"], &Value::Null));
    assert_eq!(me(&server, owner), 401);
    let nobody = data.run(&["owner", "reset-password", "--email", "eva@example.com"]);
    assert!(text(&nobody.stderr).contains("nobody signs in"), "{}", text(&nobody.stderr));
    for wrong in [
        &["owner", "reset-password"][..],
        &["owner", "reset-password", "--email", "a@b.c", "--owner", "a@b.c"],
    ] {
        assert_eq!(data.run(wrong).status.code(), Some(2), "{wrong:?}");
    }
    server.stop();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the server goes by the machine's clock")]
fn a_second_factor_outlives_a_reset_unless_the_operator_says_otherwise() {
    let data = Data::new();
    let made = make(&data, "ana@example.com");
    let server = data.serve();
    let (email, password) = (field(&made, "email"), field(&made, "password"));
    let (_, session) = sign_in(&server, email, password);
    let post = |path: &str, body: Value| {
        let body = body.to_string();
        let (status, answer) = server.ask("POST", path, Some(field(&session, "token")), &body);
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str(&answer).unwrap()
    };
    let authenticator = Authenticator::set_up(&post("/auth/totp", json!({ "password": password })));
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap());
    post("/auth/totp/confirm", json!({ "code": authenticator.code(now) }));

    let reset = ["owner", "reset-password", "--owner", email, "--json"];
    let renewed = data.json(&reset);
    let (status, refused) = sign_in(&server, email, field(&renewed, "password"));
    assert_eq!((status, &refused["error"]), (401, &json!("SECOND_FACTOR_REQUIRED")));
    let renewed = data.json(&[&reset[..], &["--end-second-factor"]].concat());
    assert_eq!(sign_in(&server, email, field(&renewed, "password")).0, 200);
    server.stop();
}

#[test]
fn a_password_can_be_reset_to_what_standard_input_says() {
    let data = Data::new();
    make(&data, "ana@example.com");
    let give = |password: &str| {
        let arguments =
            ["owner", "reset-password", "--owner", "ana@example.com", "--password-stdin", "--json"];
        let mut command = data.command(&arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        write!(child.stdin.take().unwrap(), "{password}").unwrap();
        child.wait_with_output().unwrap()
    };
    let short = give("hunter2\n");
    assert_eq!(short.status.code(), Some(1));
    assert!(!text(&short.stderr).contains("hunter2"), "{}", text(&short.stderr));
    assert!(give("correct horse battery staple\n").status.success());
    let server = data.serve();
    assert_eq!(sign_in(&server, "ana@example.com", "correct horse battery staple").0, 200);
    server.stop();
}

#[test]
fn clients_and_keys_are_listed_and_a_key_is_revoked() {
    let data = Data::new();
    let made = make(&data, "ana@example.com");
    let owner = field(&made, "user_id");
    let create = ["client", "create", "--owner", owner, "--name", "Este", "--json"];
    let client = data.json(&create);
    let listed = data.json(&["client", "list", "--owner", owner, "--json"]);
    assert_eq!(listed["clients"][0]["client_id"], client["client_id"]);
    assert_eq!(listed["clients"][0]["name"], "Este");

    let server = data.serve();
    let (_, session) = sign_in(&server, "ana@example.com", field(&made, "password"));
    let token = Some(field(&session, "token"));
    let (_, issued) = server.ask("POST", "/auth/api-key", token, r#"{"name": "caja"}"#);
    let issued: Value = serde_json::from_str(&issued).unwrap();
    let (id, key) = (field(&issued["api_key"], "id"), field(&issued["api_key"], "api_key"));
    assert_eq!(me(&server, key), 200);
    let keys = data.json(&["key", "list", "--owner", owner, "--json"]);
    let keys = keys["api_keys"].as_array().unwrap();
    assert_eq!(keys.len(), 2);
    assert_eq!((&keys[0]["default"], &keys[1]["api_key_id"]), (&json!(true), &json!(id)));
    assert!(!keys[1]["api_key"].as_str().unwrap().contains(key), "it is stored nowhere");

    let revoked = data.json(&["key", "revoke", "--owner", owner, "--key", id, "--json"]);
    assert_eq!(revoked, json!({ "api_key_id": id, "name": "caja", "revoked": true }));
    assert_eq!(me(&server, key), 401);
    data.json(&["key", "revoke", "--owner", owner, "--key", id, "--json"]);
    let keys = data.json(&["key", "list", "--owner", owner, "--json"]);
    assert_eq!(keys["api_keys"].as_array().unwrap().len(), 1);
    server.stop();
}

#[test]
fn what_is_not_there_is_reported_and_the_default_key_stays() {
    let data = Data::new();
    let made = make(&data, "ana@example.com");
    let refused = |arguments: &[&str], reason: &str| {
        let output = data.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains(reason), "{arguments:?}: {}", text(&output.stderr));
    };
    for owner in ["eva@example.com", "own_00000000000000000000000000"] {
        for command in [
            ["owner", "activate"],
            ["owner", "deactivate"],
            ["owner", "reset-password"],
            ["client", "list"],
            ["key", "list"],
        ] {
            refused(&[&command[..], &["--owner", owner]].concat(), "there is no owner");
        }
    }
    let nothing = "key_00000000000000000000000000";
    let revoke = ["key", "revoke", "--owner", "ana@example.com", "--key"];
    refused(&[&revoke[..], &[nothing]].concat(), "the owner has no key");
    let default = field(&made, "api_key_id");
    refused(&[&revoke[..], &[default]].concat(), "the default key cannot be revoked");
    let usage = data.run(&[&revoke[..], &["caja"]].concat());
    assert_eq!(usage.status.code(), Some(2));
}

#[test]
fn to_list_makes_nothing() {
    let data = Data::new();
    for command in [&["owner", "list"][..], &["key", "list", "--owner", "ana@example.com"]] {
        let output = data.run(command);
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        assert!(text(&output.stderr).contains("there is no database"), "{}", text(&output.stderr));
        assert!(!data.path().join("master.key").exists());
    }
}
