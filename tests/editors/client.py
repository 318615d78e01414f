"""A journey by the protocol's Python SDK: an edit of two hunks, of which the second is taken, and the session again.

Usage: client.py FOLDER COMMAND..."""

import asyncio
import os
import sys

from acp import spawn_agent_process, text_block
from acp.schema import AllowedOutcome, ClientCapabilities, ElicitationCapabilities, ElicitationFormCapabilities
from acp.schema import AcceptElicitationResponse, FileSystemCapabilities, McpServerStdio, ReadTextFileResponse
from acp.schema import RequestPermissionResponse


class Editor:
    def __init__(self):
        self.said, self.kinds, self.forms, self.asked, self.read = "", [], [], [], []

    def on_connect(self, conn):
        pass

    async def session_update(self, session_id, update, **kwargs):
        self.kinds.append(update.session_update)
        if update.session_update == "agent_message_chunk":
            self.said += update.content.text

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        self.asked.append(tool_call.title)
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id="allow"))

    async def read_text_file(self, session_id, path, line=None, limit=None, **kwargs):
        self.read.append(path)
        with open(path) as file:
            return ReadTextFileResponse(content=file.read())

    async def create_elicitation(self, message, mode, **kwargs):
        self.forms.append(message)
        content = {"decision": "selected", "hunks": ["2"]}
        return AcceptElicitationResponse(action="accept", content=content)


async def journey(folder, command):
    editor = Editor()
    async with spawn_agent_process(editor, *command, env=os.environ, use_unstable_protocol=True) as (agent, process):
        forms = ElicitationCapabilities(form=ElicitationFormCapabilities())
        able = ClientCapabilities(elicitation=forms, fs=FileSystemCapabilities(read_text_file=True))
        said = await agent.initialize(protocol_version=1, client_capabilities=able)
        assert said.protocol_version == 1 and said.agent_capabilities.load_session, said
        # Nobody permits it: "allow" is none of the choices.
        server = McpServerStdio(name="odd", command="no-such-program", args=[], env=[])
        session = (await agent.new_session(cwd=folder, mcp_servers=[server])).session_id
        answer = await agent.prompt(session_id=session, prompt=[text_block("Change the numbers")])
        assert answer.stop_reason == "end_turn", answer
        assert editor.said.split() == ["Done."] and len(editor.forms) == 1, (editor.said, editor.forms)
        assert editor.asked == ["Start the MCP server odd"] and set(editor.read) == {f"{folder}/numbers.txt"}, vars(editor)
        assert {"tool_call", "tool_call_update", "usage_update", "session_info_update"} <= set(editor.kinds), editor.kinds
        await agent.set_session_mode(session_id=session, mode_id="edits")
        await agent.set_config_option(session_id=session, config_id="effort", value="low")
        listed = await agent.list_sessions(cwd=folder)
        assert [one.session_id for one in listed.sessions] == [session], listed
        await agent.load_session(session_id=session, cwd=folder, mcp_servers=[])
        assert "user_message_chunk" in editor.kinds and editor.said.split() == ["Done."] * 2, editor.said
        await agent.close_session(session_id=session)
        await agent.resume_session(session_id=session, cwd=folder, mcp_servers=[])


asyncio.run(asyncio.wait_for(journey(sys.argv[1], sys.argv[2:]), 60))
print("journey done")
