//! The gateway: who may pass, one more header, the path rewritten; then the downstream, a timer or an HTTP server.
use crate::{answer, text, Answer};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1::{handshake, SendRequest};
use hyper::header::{HeaderName, HeaderValue, CONTENT_TYPE, HOST};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpStream;

const DENY: HeaderName = HeaderName::from_static("x-deny");
const START: HeaderName = HeaderName::from_static("x-request-start");

pub struct Gateway {
    downstream: String,
    idle: Mutex<Vec<SendRequest<Empty<Bytes>>>>,
}

impl Gateway {
    /// `downstream` is HOST:PORT; empty: a timer instead of a call.
    pub fn new(downstream: String) -> Self {
        Gateway { downstream, idle: Mutex::default() }
    }

    pub async fn pass(&self, request: Request<Incoming>) -> Answer {
        if request.headers().contains_key(DENY) {
            return text(StatusCode::FORBIDDEN, "denied");
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
        let start = HeaderValue::from_str(&now.to_string()).expect("digits");
        let whole = request.uri().path_and_query().map_or("/gateway/", |p| p.as_str());
        let target = &whole["/gateway".len()..];
        if self.downstream.is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
            return text(StatusCode::OK, "downstream ok");
        }
        match self.call(target, start).await {
            Ok(passed) => passed,
            Err(error) => text(StatusCode::BAD_GATEWAY, error),
        }
    }

    async fn call(&self, target: &str, start: HeaderValue) -> Result<Answer, String> {
        let mut sender = self.connection().await?;
        let request = Request::get(target)
            .header(HOST, self.downstream.as_str())
            .header(START, start)
            .body(Empty::new())
            .map_err(|e| e.to_string())?;
        let response: Response<Incoming> = sender.send_request(request).await.map_err(|e| e.to_string())?;
        let (head, body) = response.into_parts();
        let body = body.collect().await.map_err(|e| e.to_string())?.to_bytes();
        self.idle.lock().expect("not poisoned").push(sender);
        let kind = head.headers.get(CONTENT_TYPE).cloned().unwrap_or_else(|| HeaderValue::from_static("text/plain"));
        Ok(answer(head.status, kind, body))
    }

    /// The connection used last, or a new one.
    async fn connection(&self) -> Result<SendRequest<Empty<Bytes>>, String> {
        let pooled = self.idle.lock().expect("not poisoned").pop();
        if let Some(sender) = pooled.filter(|s| s.is_ready()) {
            return Ok(sender);
        }
        let stream = TcpStream::connect(&self.downstream).await.map_err(|e| e.to_string())?;
        stream.set_nodelay(true).ok();
        let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|e| e.to_string())?;
        tokio::spawn(connection);
        Ok(sender)
    }
}
