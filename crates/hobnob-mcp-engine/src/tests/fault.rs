//! Errors as both eras see them: code and data.

use super::given::caller;
use crate::CallError;
use hobnob_mcp_types::capabilities::{ClientCapabilities, SamplingCapability};
use hobnob_mcp_types::{ErrorCode, Method, Revision, RpcError};

#[test]
fn each_fault_has_its_code_in_each_era() {
    let needed = ClientCapabilities {
        sampling: Some(SamplingCapability::default()),
        ..ClientCapabilities::default()
    };
    let other = RpcError::new(ErrorCode(-1), "no").with_data(&7);
    // The error, its code for a modern and for a legacy caller, and its data for both.
    let cases = [
        (CallError::Method(Method::ToolsCall), -32601, -32601, None),
        (CallError::params("bad"), -32602, -32602, None),
        (CallError::from(RpcError::invalid_request("odd")), -32600, -32600, None),
        (
            CallError::Resource("file:///é\"".into()),
            -32602,
            -32002,
            Some(r#"{"uri":"file:///é\""}"#),
        ),
        (
            CallError::Capability(Box::new(needed)),
            -32021,
            -32600,
            Some(r#"{"requiredCapabilities":{"sampling":{}}}"#),
        ),
        (CallError::Header("differs".into()), -32020, -32600, None),
        (CallError::Late("slow".into()), -31002, -31002, None),
        (CallError::Internal, -32603, -32603, None),
        (CallError::internal("/secret/path"), -32603, -32603, None),
        (CallError::Other(other), -1, -1, Some("7")),
    ];
    for (fault, modern, legacy, data) in &cases {
        for revision in Revision::ALL {
            let code = if revision == Revision::V2026_07_28 { *modern } else { *legacy };
            let error = fault.to_rpc(&caller(revision, "{}"));
            let found = error.data.as_ref().map(|data| data.get());
            assert_eq!((error.code.0, found), (code, *data), "{fault:?} {revision}");
            assert!(!error.message.is_empty(), "{fault:?}");
        }
    }
}

#[test]
fn our_own_failures_say_nothing_of_their_cause() {
    let fault = CallError::internal("cannot open /secret/path");
    let sent = fault.to_rpc(&caller(Revision::NEWEST, "{}")).message.into_owned();
    assert_eq!((sent.as_str(), fault.to_string().as_str()), ("internal error", "internal error"));
}

#[test]
fn reserved_codes_stay_with_the_revision_that_defines_them() {
    let faults = [
        CallError::Resource("x:".into()),
        CallError::Capability(Box::default()),
        CallError::Header("differs".into()),
    ];
    for fault in &faults {
        for revision in Revision::ALL {
            let code = fault.to_rpc(&caller(revision, "{}")).code;
            let is_modern = revision == Revision::V2026_07_28;
            assert!(is_modern || !(-32099..=-32020).contains(&code.0), "{fault:?} {revision}");
            assert!(!is_modern || code != ErrorCode::RESOURCE_NOT_FOUND, "{fault:?} {revision}");
        }
    }
}
