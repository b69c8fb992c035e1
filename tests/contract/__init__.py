"""What the bot sends, judged by Discord's own OpenAPI document.

The tests over the wire are run with recording on; each payload that left the client is
validated against the schema that the document gives for its call, and against the rules
that the document lacks (`tests.wire.limits`).

Where Discord's documentation and the document differ, the documentation holds:
- an id may be sent as a number (an upload's `attachments[].id` is the number of its part);
- `default_member_permissions` is a string of digits, or a number, or null;
- a choice's text value has up to 100 characters, not 6,000 (by `tests.wire.limits`);
- a form has up to 5 parts, not 40 (likewise).
"""
