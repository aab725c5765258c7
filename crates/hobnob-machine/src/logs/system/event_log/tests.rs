//! Events in the shapes in which `wevtutil qe LOG /f:RenderedXml` prints them, on every system.

use super::{END, event};
use crate::logs::entry::LogEntry;
use crate::logs::limits::LogLimits;
use crate::logs::system::lines::OutputLines;
use crate::logs::system::utf16::MaybeUtf16;
use hobnob_policy::LogLevel;
use std::ops::ControlFlow;

/// An event of this level, with these elements behind `System`.
fn xml(level: &str, rest: &str) -> String {
    format!(
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>\
         <Provider Name='Microsoft-Windows-Security-Auditing' Guid='{{54849625-5478-4994-a5ba}}'/>\
         <EventID>4624</EventID><Version>2</Version>{level}<Task>12544</Task><Opcode>0</Opcode>\
         <Keywords>0x8020000000000000</Keywords>\
         <TimeCreated SystemTime='2024-02-10T10:30:45.1234567Z'/>\
         <EventRecordID>211</EventRecordID><Correlation ActivityID='{{1}}'/>\
         <Execution ProcessID='808' ThreadID='5072'/><Channel>Security</Channel>\
         <Computer>PC-7</Computer><Security UserID='S-1-5-18'/></System>{rest}"
    )
}

fn parsed(xml: &str) -> LogEntry {
    event(xml, &LogLimits::default()).unwrap()
}

#[test]
fn the_system_part_is_read() {
    let entry = parsed(&xml("<Level>0</Level>", ""));
    assert_eq!((entry.id, entry.event_id), (211, 4624));
    assert_eq!(entry.source, "Microsoft-Windows-Security-Auditing");
    assert_eq!(entry.timestamp.to_string(), "2024-02-10T10:30:45.1234567Z");
    let levels = [
        ("<Level>0</Level>", LogLevel::Information),
        ("<Level>1</Level>", LogLevel::Critical),
        ("<Level>2</Level>", LogLevel::Error),
        ("<Level>3</Level>", LogLevel::Warning),
        ("<Level>4</Level>", LogLevel::Information),
        ("<Level>5</Level>", LogLevel::Debug),
        ("", LogLevel::Information),
    ];
    for (element, level) in levels {
        // The rendered level is a word of the system's language.
        let rendered = "<RenderingInfo Culture='de-DE'><Level>Fehler</Level></RenderingInfo>";
        let rest = if element.is_empty() { "" } else { rendered };
        assert_eq!(parsed(&xml(element, rest)).level, level, "{element}");
    }
    let qualified = xml("", "").replace("<EventID>", "<EventID Qualifiers='16384'>");
    assert_eq!(parsed(&qualified).event_id, 4624);
}

#[test]
fn a_message_is_the_rendered_text_or_the_values() {
    let data = "<EventData><Data Name='a'>one &lt; two</Data><Data Name='b'/><Data>3</Data>\
                <Binary>0D0A</Binary></EventData>";
    let rendered = |message: &str| {
        format!("{data}<RenderingInfo Culture='en-US'>{message}<Task>Logon</Task></RenderingInfo>")
    };
    let cleared = "<UserData><LogFileCleared xmlns='http://manifests.microsoft.com/win/2004/08'>\
                   <SubjectUserName>ann</SubjectUserName></LogFileCleared></UserData>";
    let cases = [
        (rendered("<Message>Logon.\r\n\r\nUser:\t&quot;ann&quot; &#x2013; ok</Message>"), {
            "Logon.\n\nUser:\t\"ann\" – ok"
        }),
        (rendered("<Message></Message>"), "one < two, , 3"),
        (rendered("<Message/>"), "one < two, , 3"),
        (rendered(""), "one < two, , 3"),
        (data.to_owned(), "one < two, , 3"),
        (cleared.to_owned(), ""),
        (String::new(), ""),
    ];
    for (rest, message) in cases {
        assert_eq!(parsed(&xml("<Level>4</Level>", &rest)).message, message, "{rest}");
    }
    let limits = LogLimits { message: 6, ..LogLimits::default() };
    let long = rendered("<Message>Größe Größe</Message>");
    assert_eq!(event(&xml("", &long), &limits).unwrap().message, "Größ");
}

#[test]
fn other_text_is_no_event() {
    for text in ["", "\r\n", "<Event>", "<Event><System><EventRecordID>x</EventRecordID></System>"]
    {
        assert!(event(text, &LogLimits::default()).is_none(), "{text}");
    }
}

#[test]
fn output_is_split_into_events_in_both_encodings() {
    let one = xml("<Level>4</Level>", "<RenderingInfo><Message>größer</Message></RenderingInfo>");
    let text = format!("{one}</Event>\r\n{one}</Event>\r\n");
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked: Vec<u8> = [&[0xff, 0xfe][..], &wide].concat();
    for bytes in [text.as_bytes(), &wide, &marked] {
        let mut messages = Vec::new();
        let lines = OutputLines::new(MaybeUtf16::new(bytes), END, 1 << 20);
        let read = lines.each(|xml| {
            let entry = event(std::str::from_utf8(xml).unwrap(), &LogLimits::default());
            messages.extend(entry.map(|entry| entry.message));
            ControlFlow::Continue(())
        });
        read.unwrap();
        assert_eq!(messages, ["größer", "größer"]);
    }
}
