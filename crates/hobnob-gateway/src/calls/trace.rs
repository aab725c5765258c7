//! The spans of a call, where the hub records traces.
//!
//! `record` begins them; the call then carries them to the upstream, and to all calls that a
//! built-in makes for it. What must stay true: a trace continues its caller's only if the caller
//! sent a valid context, and a caller that does not record its trace keeps its own context.

use hobnob_mcp_engine::{Call, CallTrace};
use hobnob_mcp_types::trace_context::{SpanId, TraceFlags, TraceId, TraceParent, tracestate_of};
use std::num::{NonZeroU64, NonZeroU128};

/// The spans of this call, below the span of its caller if it has one.
pub(super) fn begin_trace(call: &Call) -> CallTrace {
    let (from, tracestate) = match (TraceParent::of(&call.params), &call.caller.trace) {
        (Some(from), _) => (from, tracestate_of(&call.params).map(Into::into)),
        (None, Some(outer)) => (
            TraceParent { trace: outer.trace, span: outer.server_span, flags: outer.flags },
            outer.tracestate.clone(),
        ),
        (None, None) => {
            return CallTrace {
                // Ids have to be unique, not secret.
                trace: TraceId::new(
                    NonZeroU128::new(fastrand::u128(1..)).unwrap_or(NonZeroU128::MAX),
                ),
                parent: None,
                server_span: new_span(),
                client_span: new_span(),
                flags: TraceFlags::RECORDED,
                tracestate: None,
            };
        }
    };
    let next = || match from.flags.is_recorded() {
        true => new_span(),
        // No receiver would know a span of ours.
        false => from.span,
    };
    CallTrace {
        trace: from.trace,
        parent: Some(from.span),
        server_span: next(),
        client_span: next(),
        flags: from.flags,
        tracestate,
    }
}

fn new_span() -> SpanId {
    SpanId::new(NonZeroU64::new(fastrand::u64(1..)).unwrap_or(NonZeroU64::MAX))
}

#[cfg(test)]
mod tests {
    use super::begin_trace;
    use hobnob_mcp_engine::{Answers, Call, Caller, ClientId, Principal, TaskOffer};
    use hobnob_mcp_types::{Method, Params};
    use std::sync::Arc;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn call(meta: &str) -> Call {
        let params = format!("{{\"name\":\"x\",\"_meta\":{{{meta}}}}}");
        Call {
            method: Method::ToolsCall,
            params: Arc::new(Params::from_json(params).unwrap()),
            caller: Caller::new(ClientId::OURSELVES, Principal::anonymous()),
            answers: Answers::default(),
            task: TaskOffer::No,
            mirrored: None,
        }
    }

    #[test]
    fn the_callers_trace_goes_on() {
        let state = r#""tracestate":"rojo=1""#;
        let trace = begin_trace(&call(&format!("\"traceparent\":\"{PARENT}\",{state}")));
        assert_eq!(trace.trace.to_string(), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(trace.parent.unwrap().to_string(), "b7ad6b7169203331");
        assert_ne!(trace.server_span, trace.client_span);
        assert_ne!(Some(trace.client_span), trace.parent);
        assert_eq!(trace.tracestate.as_deref(), Some("rojo=1"));
        assert!(trace.to_upstream().to_string().ends_with("-01"));
    }

    #[test]
    fn a_call_made_for_a_call_is_below_it() {
        let outer = begin_trace(&call(&format!("\"traceparent\":\"{PARENT}\"")));
        let mut inner = call("");
        inner.caller.trace = Some(Arc::new(outer.clone()));
        let inner = begin_trace(&inner);
        assert_eq!((inner.trace, inner.parent), (outer.trace, Some(outer.server_span)));
    }

    #[test]
    fn a_caller_that_records_nothing_keeps_its_context() {
        let parent = PARENT.replace("-01", "-00");
        let trace = begin_trace(&call(&format!("\"traceparent\":\"{parent}\"")));
        assert!(!trace.flags.is_recorded());
        assert_eq!(trace.to_upstream().to_string(), parent);
    }

    #[test]
    fn without_a_context_a_trace_begins() {
        for meta in ["", r#""traceparent":"00-x","tracestate":"rojo=1""#] {
            let trace = begin_trace(&call(meta));
            assert!(trace.flags.is_recorded());
            assert_eq!((trace.parent, trace.tracestate), (None, None));
            assert_ne!(begin_trace(&call(meta)).trace, trace.trace);
        }
    }
}
