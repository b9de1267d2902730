//! Reads {"secret", "headers", "body"} from stdin and prints the verdict of the official Rust verifier.

use std::io::Read;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use standardwebhooks::Webhook;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("stdin");
    let delivery: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let verifier = Webhook::new(delivery["secret"].as_str().expect("secret")).expect("a usable secret");
    let mut headers = HeaderMap::new();
    for (name, value) in delivery["headers"].as_object().expect("headers") {
        headers.insert(
            HeaderName::from_bytes(name.as_bytes()).expect("header name"),
            HeaderValue::from_str(value.as_str().expect("header value")).expect("header value"),
        );
    }
    match verifier.verify(delivery["body"].as_str().expect("body").as_bytes(), &headers) {
        Ok(_) => println!("accepted"),
        Err(refusal) => println!("refused: {refusal}"),
    }
}
