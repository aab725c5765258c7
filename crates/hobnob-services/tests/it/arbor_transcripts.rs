//! Trees on the wire: the same conversation in each era.

use crate::arbor_server::ArborServer;
use crate::calls::{greeted, modern};
use hobnob_services::Presentation;

/// These revisions know only text: data is sent as text, and a drawing is text anyway.
#[tokio::test(start_paused = true)]
async fn a_tree_in_the_first_revisions() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"arbor.tree_create",
            "arguments":{"name":"main"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",
            "text":"$has \"claims\":[{\"owner_id\":\"script\",\"count\":1}]"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"arbor_node_create_text",
            "arguments":{"tree_id":"main","content":"Hi"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text",
            "text":"$has {\"tree_id\":\"main\",\"node_id\":\"node_"}]}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"arbor_tree_render",
            "arguments":{"tree_id":"main"}}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"$has  user: Hi\n"}]}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"arbor_tree_get",
            "arguments":{"tree_id":"no"}}}
        < {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text",
            "text":"tree not found: no; list trees with tree_list"}],"isError":true}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"arbor_node_get",
            "arguments":{"tree_id":"main"}}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"$has node_id",
            "data":{"problems":"$any"}}}
        > {"jsonrpc":"2.0","id":6,"method":"resources/read","params":{
            "uri":"arbor://tree/main/node/root"}}
        < {"jsonrpc":"2.0","id":6,"result":{"contents":[{"uri":"arbor://tree/main/node/root",
            "mimeType":"application/json","text":"{\"role\":\"system\",\"content\":\"\"}"}]}}
        > {"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"arbor://tree/no"}}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32002,
            "message":"resource not found: arbor://tree/no","data":"$any"}}
        > {"jsonrpc":"2.0","id":8,"method":"completion/complete","params":{
            "ref":{"type":"ref/resource","uri":"arbor://tree/{tree}"},
            "argument":{"name":"tree","value":"ma"}}}
        < {"jsonrpc":"2.0","id":8,"result":{"completion":{"values":["main"],"total":1,
            "hasMore":false}}}
    "#;
    for version in ["2024-11-05", "2025-03-26"] {
        let server = ArborServer::new(&Presentation::default());
        server.converse(&greeted(version, script)).await;
    }
}

/// Without a handshake, with data beside the text.
#[tokio::test(start_paused = true)]
async fn a_tree_in_the_newest_revision() {
    let script = r#"
        > {${call},"id":1,"params":{"name":"arbor_tree_create","arguments":{"name":"main"},${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":"$any","structuredContent":{
            "tree_id":"$keep tree","name":"main","state":"active","root_node_id":"$keep root",
            "nodes":1,"claims":[{"owner_id":"script","count":1}],"created_at":"$any",
            "updated_at":"$any","uri":"arbor://tree/main"},${us}}}
        > {${call},"id":2,"params":{"name":"arbor_node_create_text",
            "arguments":{"tree_id":${tree},"role":"assistant","content":"Hello"},${me}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":"$any","structuredContent":{
            "tree_id":${tree},"node_id":"$keep node","parent_id":${root},"depth":1,
            "uri":"$any"},${us}}}
        > {${call},"id":3,"params":{"name":"arbor.context_get_path",
            "arguments":{"tree_id":"main","node_id":${node}},${me}}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":"$any","structuredContent":{"nodes":[
            {"node_id":${root},"depth":0,"children":1,"kind":"text","role":"system","content":"",
                "created_at":"$any"},
            {"node_id":${node},"parent_id":${root},"depth":1,"children":0,"kind":"text",
                "role":"assistant","content":"Hello","created_at":"$any"}],"count":2},${us}}}
        > {${call},"id":4,"params":{"name":"arbor_tree_render",
            "arguments":{"tree_id":"main","limit":1},${me}}}
        < {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"$has there is more"}],
            "structuredContent":{"tree_id":"main","text":"$any","lines":1,"truncated":true,
            "next_cursor":"$any"},${us}}}
        > {${call},"id":5,"params":{"name":"arbor_tree_release",
            "arguments":{"tree_id":"main","count":2},${me}}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text",
            "text":"tree main has 1 claims of `script`, not 2"}],"isError":true,${us}}}
    "#;
    ArborServer::new(&Presentation::default()).converse(&modern(script)).await;
}
