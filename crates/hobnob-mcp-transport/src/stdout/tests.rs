//! Frames that reach a real pipe: whole, in order, and without blocking their senders.

use super::{BufferedStdout, DirectWriter, append, write_frames};
use crate::outbox::{Frame, Merge, Outbox, OutboxLimits};
use std::fs::File;
use std::io::{BufRead as _, BufReader, PipeReader, Read as _};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread;

/// The longest line that fits into one atomic write together with its line end.
const MAX_LEN: usize = if cfg!(target_os = "linux") { 4095 } else { 511 };

/// A writer to a pipe instead of standard output, without the thread that writes the outbox.
fn over_pipe() -> (DirectWriter, PipeReader) {
    let (reader, writer) = std::io::pipe().unwrap();
    (over(File::from(OwnedFd::from(writer))), reader)
}

fn over(file: File) -> DirectWriter {
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    DirectWriter::new(BufferedStdout::over(file), outbox)
}

/// A frame of `length` bytes that begins with its name.
fn frame(name: &str, length: usize) -> Frame {
    Frame::reply(name.to_owned() + &"#".repeat(length - name.len()), None)
}

#[test]
fn a_frame_is_one_line_whatever_is_in_it() {
    let mut buffer = b"before\n".to_vec();
    append(&mut buffer, b"{\n  \"a\": 1,\r\n  \"b\": \"\\n\"\n}");
    assert_eq!(buffer, b"before\n{   \"a\": 1,    \"b\": \"\\n\" }\n");
}

#[test]
fn only_what_fits_into_one_write_is_written_by_its_sender() {
    for (length, is_written) in
        [(6, true), (MAX_LEN - 1, true), (MAX_LEN, true), (MAX_LEN + 1, false), (1 << 20, false)]
    {
        let (writer, mut reader) = over_pipe();
        writer.send(frame("answer", length));
        let waiting = writer.outbox.try_frame();
        assert_eq!(waiting.is_none(), is_written, "{length} bytes");
        drop(writer);
        let mut written = String::new();
        reader.read_to_string(&mut written).unwrap();
        assert_eq!(written.len(), if is_written { length + 1 } else { 0 });
    }
}

#[test]
fn a_full_pipe_blocks_no_sender_and_loses_nothing() {
    let (writer, reader) = over_pipe();
    let names: Vec<_> = (0..1000).map(|number| format!("{number:04}")).collect();
    for name in &names {
        // The reader has not started: a sender that blocked would do so for ever.
        writer.send(frame(name, MAX_LEN));
    }
    assert!(!writer.outbox.is_empty());
    let read = thread::spawn(move || lines(reader));
    writer.outbox.finish();
    write_frames(&writer.output, &writer.outbox);
    drop(writer);
    let read: Vec<_> = read.join().unwrap().iter().map(|line| line[..4].to_owned()).collect();
    assert_eq!(read, names);
}

#[test]
fn what_waits_is_never_overtaken() {
    let (writer, reader) = over_pipe();
    writer.outbox.note("progress", Merge::Never);
    writer.send(frame("result", 6));
    writer.outbox.finish();
    write_frames(&writer.output, &writer.outbox);
    drop(writer);
    assert_eq!(lines(reader), ["progress", "result"]);
}

#[test]
fn whoever_writes_already_is_not_interrupted() {
    let (writer, mut reader) = over_pipe();
    let claim = writer.claim().unwrap();
    writer.send(frame("second", 6));
    claim.write(&frame("first", 5));
    assert!(!writer.outbox.is_empty());
    // The writing thread has not run yet, and no frame overtakes those that wait for it.
    writer.send(frame("third", 5));
    writer.outbox.finish();
    write_frames(&writer.output, &writer.outbox);
    drop(writer);
    let mut written = String::new();
    reader.read_to_string(&mut written).unwrap();
    assert_eq!(written, "first\nsecond\nthird\n");
}

#[test]
fn what_is_no_pipe_is_left_to_the_writing_thread() {
    let writer = over(tempfile::tempfile().unwrap());
    writer.send(frame("answer", 6));
    assert!(!writer.outbox.is_empty());
}

#[test]
fn a_pipe_that_nobody_reads_is_left_to_the_writing_thread() {
    let (writer, reader) = over_pipe();
    drop(reader);
    writer.send(frame("answer", 6));
    assert!(!writer.outbox.is_empty());
    write_frames(&writer.output, &writer.outbox);
    assert!(writer.outbox.is_closed());
}

#[test]
fn frames_of_many_senders_stay_whole_and_in_order() {
    const SENDERS: usize = 8;
    const FRAMES: usize = 400;
    let (writer, reader) = over_pipe();
    let writing = thread::spawn({
        let writer = writer.clone();
        move || write_frames(&writer.output, &writer.outbox)
    });
    let read = thread::spawn(move || lines(reader));
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let writer = writer.clone();
            thread::spawn(move || {
                for number in 0..FRAMES {
                    // Around the limit, far below and far above it.
                    let length = [MAX_LEN - 1, MAX_LEN, MAX_LEN + 1, 20, 3 * MAX_LEN][number % 5];
                    writer.send(frame(&format!("{sender} {number:03} {length} "), length));
                }
            })
        })
        .collect();
    senders.into_iter().for_each(|sender| sender.join().unwrap());
    writer.outbox.finish();
    writing.join().unwrap();
    drop(writer);
    let mut next = [0; SENDERS];
    for line in read.join().unwrap() {
        let mut words = line.split(' ').map_while(|word| word.parse::<usize>().ok());
        let [sender, number, length] = std::array::from_fn(|_| words.next().unwrap());
        assert_eq!((number, line.len()), (next[sender], length));
        next[sender] += 1;
    }
    assert_eq!(next, [FRAMES; SENDERS]);
}

fn lines(reader: PipeReader) -> Vec<String> {
    BufReader::new(reader).lines().map(Result::unwrap).collect()
}
