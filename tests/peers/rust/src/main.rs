//! The Rust peer: tokio and hyper 1, the same routes as parkbench's own servers.
//!
//!     rust-server --listen 127.0.0.1:8201 [--workers 2] [--down HOST:PORT] [--dsn DSN --pool N]
mod gateway;
mod price;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{HeaderValue, CONTENT_TYPE};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

pub type Answer = Response<Full<Bytes>>;

pub struct App {
    gateway: gateway::Gateway,
    price: Option<price::Pool>,
}

pub fn answer(status: StatusCode, kind: HeaderValue, body: Bytes) -> Answer {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

pub fn text(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    answer(status, HeaderValue::from_static("text/plain; charset=utf-8"), body.into())
}

async fn handle(app: Arc<App>, request: Request<Incoming>) -> Result<Answer, Infallible> {
    let path = request.uri().path();
    if path == "/hello" {
        return Ok(text(StatusCode::OK, "Hello, World!"));
    }
    if path == "/sleep" {
        let ms = request.uri().query().and_then(|q| q.strip_prefix("ms=")).and_then(|x| x.parse().ok()).unwrap_or(0);
        tokio::time::sleep(Duration::from_millis(ms)).await;
        return Ok(text(StatusCode::OK, "slept"));
    }
    if path.starts_with("/gateway/") {
        return Ok(app.gateway.pass(request).await);
    }
    if let Some(id) = path.strip_prefix("/price/") {
        return Ok(price::price(app.price.as_ref(), id).await);
    }
    Ok(text(StatusCode::NOT_FOUND, "Not Found\n"))
}

/// The value behind the option `name`.
fn option(name: &str, default: &str) -> String {
    let mut arguments = std::env::args().skip_while(|a| a != name);
    arguments.nth(1).unwrap_or_else(|| default.into())
}

async fn serve() {
    let dsn = option("--dsn", "");
    let connections = option("--pool", "10").parse().expect("--pool is a number");
    let app = Arc::new(App {
        gateway: gateway::Gateway::new(option("--down", "")),
        price: (!dsn.is_empty()).then(|| price::connect(&dsn, connections)),
    });
    let address: std::net::SocketAddr = option("--listen", "127.0.0.1:8201").parse().expect("--listen is HOST:PORT");
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.set_reuseaddr(true).expect("SO_REUSEADDR");
    socket.bind(address).expect("the address is free");
    let listener = socket.listen(4096).expect("listening");
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        stream.set_nodelay(true).ok();
        let app = app.clone();
        tokio::spawn(async move {
            let service = hyper::service::service_fn(move |request| handle(app.clone(), request));
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

fn main() {
    let workers = option("--workers", "2").parse().expect("--workers is a number");
    tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build().expect("tokio").block_on(serve());
}
