"""A journey by the protocol's Python SDK: an edit of two hunks, of which the second is taken, and the session again.

Usage: client.py FOLDER COMMAND..."""

import asyncio
import os
import sys

from acp import spawn_agent_process, text_block
from acp.schema import AllowedOutcome, ClientCapabilities, ElicitationCapabilities, ElicitationFormCapabilities
from acp.schema import AcceptElicitationResponse, RequestPermissionResponse


class Editor:
    def __init__(self):
        self.said, self.kinds, self.forms, self.asked = "", [], [], []

    def on_connect(self, conn):
        pass

    async def session_update(self, session_id, update, **kwargs):
        self.kinds.append(update.session_update)
        if update.session_update == "agent_message_chunk":
            self.said += update.content.text

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        self.asked.append(tool_call.title)
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id="allow"))

    async def create_elicitation(self, message, mode, **kwargs):
        self.forms.append(message)
        content = {"decision": "selected", "hunks": ["2"]}
        return AcceptElicitationResponse(action="accept", content=content)


async def journey(folder, command):
    editor = Editor()
    async with spawn_agent_process(editor, *command, env=os.environ, use_unstable_protocol=True) as (agent, process):
        forms = ElicitationCapabilities(form=ElicitationFormCapabilities())
        said = await agent.initialize(protocol_version=1, client_capabilities=ClientCapabilities(elicitation=forms))
        assert said.protocol_version == 1 and said.agent_capabilities.load_session, said
        session = (await agent.new_session(cwd=folder, mcp_servers=[])).session_id
        answer = await agent.prompt(session_id=session, prompt=[text_block("Change the numbers")])
        assert answer.stop_reason == "end_turn", answer
        assert editor.said.split() == ["Done."] and len(editor.forms) == 1, (editor.said, editor.forms)
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
