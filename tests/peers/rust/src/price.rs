//! `/price/{id}`: the two statements of parkbench's pricing workload, over its own schema, one after the other.
use crate::{answer, text, Answer};
use bytes::Bytes;
use deadpool_postgres::{Manager, ManagerConfig, RecyclingMethod};
use hyper::header::HeaderValue;
use hyper::StatusCode;
use tokio_postgres::NoTls;

pub use deadpool_postgres::Pool;

const PRODUCT: &str = "select id, name, price_minor from parkbench.products where id = $1";
const DISCOUNT: &str = "select percent_hundredths from parkbench.discounts where product_id = $1";

pub fn connect(dsn: &str, connections: usize) -> Pool {
    let config: tokio_postgres::Config = dsn.parse().expect("a DSN");
    let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
    Pool::builder(manager).max_size(connections).build().expect("a pool")
}

/// Money in minor units (cents), the discount in hundredths of a percent; half a cent is rounded up.
async fn lookup(pool: &Pool, id: i64) -> Result<Option<String>, String> {
    let client = pool.get().await.map_err(|e| e.to_string())?;
    let product = client.prepare_cached(PRODUCT).await.map_err(|e| e.to_string())?;
    let discount = client.prepare_cached(DISCOUNT).await.map_err(|e| e.to_string())?;
    let Some(row) = client.query_opt(&product, &[&id]).await.map_err(|e| e.to_string())? else { return Ok(None) };
    let price: i64 = row.get(2);
    let Some(row) = client.query_opt(&discount, &[&id]).await.map_err(|e| e.to_string())? else { return Ok(None) };
    let percent: i32 = row.get(0);
    let last = (price * (10_000 - i64::from(percent)) + 5_000) / 10_000;
    Ok(Some(format!(r#"{{"product":{id},"price":{price},"discount":{percent},"final_price":{last}}}"#)))
}

pub async fn price(pool: Option<&Pool>, id: &str) -> Answer {
    let Ok(id) = id.parse::<u32>() else { return text(StatusCode::BAD_REQUEST, "the id is no number") };
    let Some(pool) = pool else { return text(StatusCode::SERVICE_UNAVAILABLE, "no database") };
    match lookup(pool, i64::from(id)).await {
        Ok(Some(body)) => answer(StatusCode::OK, HeaderValue::from_static("application/json"), Bytes::from(body)),
        Ok(None) => text(StatusCode::NOT_FOUND, "Not Found\n"),
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, error),
    }
}
