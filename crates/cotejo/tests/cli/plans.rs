//! Plans, made and given by the operator: by the running server, or without one.

use serde_json::json;

use crate::program::{Data, text};

#[test]
fn plans_are_made_given_and_taken_away_with_and_without_a_server() {
    let data = Data::new();
    let owner = data.json(&["owner", "create", "--email", "ana@example.com", "--json"]);
    let create = ["plan", "create", "--name", "Comercio", "--type", "counter", "--price", "25,5"];
    let limits = ["--request-limit", "3", "--benefit", "Soporte", "--benefit", "Dos sedes"];
    let made = data.json(&[&create[..], &limits, &["--json"]].concat());
    assert_eq!(made["price"], 2_550);
    assert_eq!(made["benefits"], json!(["Soporte", "Dos sedes"]));
    let id = made["plan_id"].as_str().unwrap();
    let of = ["--owner", "ana@example.com", "--json"];
    let set = data.json(&[&["plan", "set", "--plan", id], &of[..]].concat());
    let standing = |is_active: bool| json!({ "user_id": owner["user_id"], "plan_id": id, "plan": "Comercio", "is_active": is_active });
    assert_eq!(set, standing(true));
    let server = data.serve();
    let act = |act: &str| data.json(&[&["plan", act], &of[..]].concat());
    assert_eq!(act("deactivate"), standing(false));
    let key = owner["api_key"].as_str().unwrap();
    let (status, body) = server.ask("GET", "/me/plan", Some(key), "");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains(r#""requestLimit":3"#), "{body}");
    assert_eq!(act("activate"), standing(true));
    let removed =
        json!({ "user_id": owner["user_id"], "plan_id": null, "plan": null, "is_active": true });
    assert_eq!(act("remove"), removed);
    server.stop();
    let listed = data.json(&["plan", "list", "--json"]);
    assert_eq!(listed["plans"].as_array().unwrap().len(), 1);
    assert_eq!(listed["plans"][0]["plan_id"], id);
}

#[test]
fn what_makes_no_plan_is_reported() {
    let data = Data::new();
    data.json(&["owner", "create", "--email", "ana@example.com", "--json"]);
    let of = ["--owner", "ana@example.com"];
    for (line, says) in [
        (vec!["plan", "create", "--name", "A", "--type", "free"], "must be credit"),
        (vec!["plan", "create", "--name", "A", "--period", "week"], "must be month"),
        (vec!["plan", "create", "--name", "A", "--price", "1.234"], "two decimals"),
        (vec!["plan", "create", "--name", ""], "name"),
        ([&["plan", "deactivate"], &of[..]].concat(), "the owner has no plan"),
        (
            [&["plan", "set", "--plan", "plan_00000000000000000000000001"], &of[..]].concat(),
            "there is no plan",
        ),
        (vec!["plan", "remove", "--owner", "otra@example.com"], "there is no owner"),
    ] {
        let output = data.run(&line);
        assert!(!output.status.success(), "{line:?}");
        assert!(text(&output.stderr).contains(says), "{line:?}: {}", text(&output.stderr));
    }
}
