//! Whatever ends with its issuer at one node opens nothing at any other once the ending was answered.

use super::*;

const UNAUTHORIZED: (u16, &str) = (401, "UNAUTHORIZED");

impl Nodes {
    /// The key that this caller issues.
    fn issued_by(&self, credential: &str, wanted: &Value) -> String {
        let target = ("POST", "/auth/api-key");
        let issued = ok(ask(self.first.addr, target, credential, Some(wanted)));
        issued["api_key"]["api_key"].as_str().unwrap().to_owned()
    }

    /// A person of the client, whom somebody invites by that session: its session.
    fn person_by(&self, session: &str, client: &str, email: &str) -> String {
        let (path, wanted) =
            (format!("/v1/clients/{client}/invitation"), json!({ "email": email, "name": "Eva" }));
        let invited = ok(ask(self.first.addr, ("POST", &path), session, Some(&wanted)));
        let url = invited["invitation_url"].as_str().unwrap();
        let accepted = json!({ "token": url.rsplit('/').next().unwrap(), "password": PASSWORD });
        self.call(("POST", "/auth/invitations/accept"), &accepted);
        self.sign_in(email)
    }
}

#[test]
fn what_ends_with_its_issuer_at_one_node_no_other_accepts() {
    let nodes = Nodes::start();
    let unauthorized = (UNAUTHORIZED.0, UNAUTHORIZED.1.to_owned());
    let end = |path: &str| {
        let path = format!("{path}?with_issued=true");
        drop(nodes.call(("DELETE", &path), &json!({})));
    };
    // A key by a key.
    let may = ["api_keys", "payment_verifications"];
    let issuer = nodes.issue(&json!({ "name": "sistema", "permissions": may }));
    let issued = nodes.issued_by(&issuer.text, &json!({ "name": "caja", "permissions": [may[1]] }));
    nodes.ends(&issued, || end(&path(&issuer, "")), UNAUTHORIZED.0, UNAUTHORIZED.1);
    assert_eq!(nodes.verify(&issuer.text, "4467890"), unauthorized);

    // A second mailbox of an employee, as a person of a client, and that one's key.
    let client = nodes.client();
    nodes.give(Some(&client));
    let may = [
        "clients:write",
        "payments:write",
        "payment_links:write",
        "bank_accounts:write",
        "integrations:write",
    ];
    let wanted = json!({ "email": "eva@tienda.example", "name": "Eva", "permissions": may });
    let (id, session) = nodes.invite("/v1/employees", &wanted);
    let second = nodes.person_by(&session, &client, "otra@correo.example");
    let issued = nodes.issued_by(&second, &json!({ "name": "suya" }));
    let employee = format!("/v1/employees/{id}");
    nodes.ends(&issued, || end(&employee), UNAUTHORIZED.0, UNAUTHORIZED.1);
    for ended in [&session, &second] {
        assert_eq!(nodes.verify(ended, "4467890"), unauthorized);
    }
    nodes.stop();
}
