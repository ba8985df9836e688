// Recibe los avisos de los enlaces de pago · Receives the events of payment links.
//
// cargo add axum hmac http-body-util serde_json sha2
// cargo add hyper --features client,http1,server
// cargo add hyper-util --features service,tokio
// cargo add tokio --features macros,net,rt-multi-thread,time
// WEBHOOK_SECRET=… cargo run --release -- 9000

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::serve::Listener;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::Request;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use serde_json::Value;
use sha2::Sha256;
use tokio::net::{TcpListener, TcpStream};

const AGE_MAX: Duration = Duration::from_secs(300);
const BODY_BYTES_MAX: usize = 1 << 20;
const ASK_MAX: Duration = Duration::from_secs(5);
/// De la cabecera a la respuesta · From the head to the answer.
const CONNECTION_MAX: Duration = Duration::from_secs(10);

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Clone)]
struct Shop {
    /// El secreto y, mientras dure una rotación, el anterior · The secret and, during a rotation, the
    /// former one.
    secrets: Vec<String>,
    /// Para preguntar de vuelta, si se quiere: el servicio, como `127.0.0.1:8080`, y una llave · To
    /// ask back, if wanted: the service, such as `127.0.0.1:8080`, and a key.
    cotejo: Option<(String, String)>,
    /// Si se entrega también por el banco de prueba · Whether goods go out for the sandbox too.
    takes_tests: bool,
    /// El registro propio; en la tienda, su base de datos · The record of one's own; in a shop, its
    /// database.
    record: PathBuf,
}

impl Shop {
    fn from_environment() -> Result<Self, Failure> {
        let cotejo = match (env::var("COTEJO"), env::var("KEY")) {
            // Con TLS, un cliente como `reqwest` · Over TLS, a client such as `reqwest`.
            (Ok(url), Ok(key)) => {
                Some((url.strip_prefix("http://").ok_or("COTEJO=http://…")?.to_owned(), key))
            }
            _ => None,
        };
        let record = PathBuf::from(env::var_os("RECORD").unwrap_or_else(|| "payments".into()));
        fs::create_dir_all(&record)?;
        let takes_tests = env::var("TEST").is_ok_and(|text| text == "1");
        let former = env::var("WEBHOOK_SECRET_OLD").ok().filter(|text| !text.is_empty());
        let secrets = [env::var("WEBHOOK_SECRET")?].into_iter().chain(former).collect();
        Ok(Self { secrets, cotejo, takes_tests, record })
    }

    /// Sobre los bytes como llegaron, antes de leerlos · On the bytes as they came, before reading
    /// them.
    fn authenticate(&self, headers: &HeaderMap, body: &[u8]) -> Option<()> {
        let header = |name: &str| headers.get(name)?.to_str().ok();
        let timestamp = header("x-service-timestamp")?;
        let signature = header("x-service-signature")?.strip_prefix("sha256=")?;
        let is_number = timestamp.len() < 16 && timestamp.bytes().all(|byte| byte.is_ascii_digit());
        let told_at = Duration::from_secs(timestamp.parse().ok().filter(|_| is_number)?);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
        if now.abs_diff(told_at) > AGE_MAX {
            return None;
        }
        let signature = decode_hex(signature)?;
        let is_of = |secret: &String| {
            let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
            mac.is_ok_and(|mac| {
                let mac = mac.chain_update(timestamp).chain_update(".").chain_update(body);
                mac.verify_slice(&signature).is_ok()
            })
        };
        self.secrets.iter().any(is_of).then_some(())
    }

    /// Lo que dice el servicio; `redirect_url` no prueba nada · What the service says;
    /// `redirect_url` proves nothing.
    async fn is_paid(&self, notice: &Notice) -> Result<bool, Failure> {
        let Some((at, key)) = &self.cotejo else { return Ok(true) };
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(TcpStream::connect(at).await?))
                .await?;
        tokio::spawn(connection);
        let question = Request::get(format!("/paymentlink/{}/info", notice.link))
            .header("host", at)
            .header("appkey", key)
            .body(Empty::<Bytes>::new())?;
        let answer = sender.send_request(question).await?.into_body();
        let answer = Limited::new(answer, BODY_BYTES_MAX).collect().await?.to_bytes();
        let answer: Value = serde_json::from_slice(&answer)?;
        Ok(answer["data"]["payment_link"]["status"] == "paid")
    }

    /// Si es la primera vez. Un archivo por pago, que se crea una sola vez; en la tienda, una clave
    /// única · Whether it is the first time. A file for each payment, which is created only once; in
    /// a shop, a unique key.
    ///
    /// En la tienda: el pedido se busca por el id del enlace que usted guardó al crearlo, y se
    /// compara el monto; nunca por metadata, que escribe quien haga el enlace. Lo que no es suyo:
    /// 204 y nada más · In a shop: find the order by the link id that you kept when you made the
    /// link, and compare the amount; never by metadata, which the maker of a link writes. What is
    /// not yours: 204 and nothing else.
    fn record(&self, notice: &Notice) -> std::io::Result<bool> {
        let file = self.record.join(format!("{}-{}", notice.link, notice.reference));
        match File::create_new(file) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Lo que hace falta del aviso · What is needed of the notice.
struct Notice {
    status: String,
    link: String,
    reference: String,
    is_money: bool,
}

impl Notice {
    fn read(body: &[u8]) -> Option<Self> {
        let body: Value = serde_json::from_slice(body).ok()?;
        let text = |value: &Value| {
            let is_word =
                |text: &&str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            value.as_str().filter(is_word).map(str::to_owned)
        };
        let payment = &body["user_bank_payment"];
        let reference = if payment.is_null() {
            Some(String::new())
        } else {
            text(&payment["bank_reference_id"])
        };
        Some(Self {
            status: text(&body["status"])?,
            link: text(&body["payment_link_id"])?,
            reference: reference?,
            is_money: body["livemode"] == true,
        })
    }
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.bytes().map(|byte| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    });
    let digits = digits.collect::<Option<Vec<u8>>>()?;
    Some(
        digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte * 16 + digit)).collect(),
    )
}

/// El estado HTTP con que se responde · The HTTP status to answer with.
async fn take(State(shop): State<Shop>, headers: HeaderMap, body: Bytes) -> StatusCode {
    if shop.authenticate(&headers, &body).is_none() {
        return StatusCode::UNAUTHORIZED;
    }
    let Some(notice) = Notice::read(&body) else { return StatusCode::BAD_REQUEST };
    let Notice { status, link, reference, is_money } = &notice;
    // Vencido, fallido o anulado no es pagado · Expired, failed or called off is not paid.
    if status != "paid" || reference.is_empty() {
        println!("{status} {link}: no es un pago / not a payment");
        return StatusCode::NO_CONTENT;
    }
    if !is_money && !shop.takes_tests {
        println!("paid {link}: de prueba, no es dinero / a test, no money");
        return StatusCode::NO_CONTENT;
    }
    let asked = tokio::time::timeout(ASK_MAX, shop.is_paid(&notice)).await;
    if !matches!(asked, Ok(Ok(true))) {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    match shop.record(&notice) {
        // Desde el registro se entrega, una vez · From the record it is delivered, once.
        Ok(true) => println!("paid {link} {reference}"),
        // Lo repetido también es un éxito · What is repeated is a success too.
        Ok(false) => {}
        Err(_) => return StatusCode::INTERNAL_SERVER_ERROR,
    }
    StatusCode::NO_CONTENT
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let shop = Shop::from_environment()?;
    let port: u16 = env::args().nth(1).ok_or("a port?")?.parse()?;
    let mut listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("http://{}", listener.local_addr()?);
    let take = post(take).layer(DefaultBodyLimit::max(BODY_BYTES_MAX)).with_state(shop);
    let service = TowerToHyperService::new(Router::new().fallback_service(take));
    loop {
        let (stream, _) = Listener::accept(&mut listener).await;
        let mut server = http1::Builder::new();
        let connection =
            server.keep_alive(false).serve_connection(TokioIo::new(stream), service.clone());
        tokio::spawn(tokio::time::timeout(CONNECTION_MAX, connection));
    }
}
