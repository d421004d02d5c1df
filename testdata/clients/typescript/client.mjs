// Has a conversation with a server over HTTP as hosts built on the official TypeScript SDKs do,
// and prints what came of it as JSON. The test that runs it says what that has to be; the Go
// client beside it has the same conversation.
//
//   node client.mjs sdk|client REVISION URL
//
// sdk is @modelcontextprotocol/sdk, client its successor @modelcontextprotocol/client. TOKEN is
// the bearer token of each request, unless it is empty.
const [which, revision, url] = process.argv.slice(2);
const v1 = which === 'sdk';
const { Client, StreamableHTTPClientTransport } = v1
  ? { ...await import('@modelcontextprotocol/sdk/client/index.js'), ...await import('@modelcontextprotocol/sdk/client/streamableHttp.js') }
  : await import('@modelcontextprotocol/client');
const { ElicitRequestSchema, ResourceUpdatedNotificationSchema } = v1 ? await import('@modelcontextprotocol/sdk/types.js') : {};

const token = process.env.TOKEN;
const transport = new StreamableHTTPClientTransport(new URL(url), {
  requestInit: token ? { headers: { Authorization: `Bearer ${token}` } } : {},
});
const client = new Client({ name: 'typescript', version: '1' }, {
  capabilities: { elicitation: {} },
  ...(revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : {}),
});

// What the user says to a question. While it is undefined, the user says nothing.
let user;
let asked = () => {};
client.setRequestHandler(v1 ? ElicitRequestSchema : 'elicitation/create', async () => {
  asked();
  return user ?? new Promise(() => {});
});

const text = result => result.content.map(block => block.text ?? '').join('\n');
const call = (name, args, options) => v1
  ? client.callTool({ name, arguments: args }, undefined, options)
  : client.callTool({ name, arguments: args }, options);
const report = {};

await client.connect(transport);
report.server = client.getServerVersion()?.name;
report.tools = (await client.listTools()).tools.map(tool => tool.name);

report.progress = [];
await call('issues_list', { workspace: 'other' }, { onprogress: ({ progress }) => report.progress.push(progress) });

const made = await call('issues_create', { title: 'Over HTTP', description: 'Written by a client.' });
report.created = made.structuredContent.id;
const uri = `issues://here/${report.created}`;
report.read = text(await call('issues_get', { id: report.created }));
const refused = await call('issues_get', { id: 'ISS-999999' });
report.refused = refused.isError === true ? text(refused) : '';
report.thrown = await client.callTool({ name: 'no_such_tool', arguments: {} }).then(() => '', error => String(error.message));
report.resource = (await client.readResource({ uri })).contents[0].text;
report.missing = await client.readResource({ uri: 'issues://here/ISS-999999' }).then(() => '', error => String(error.message));
report.prompts = (await client.listPrompts()).prompts.map(prompt => prompt.name);
report.prompt = (await client.getPrompt({ name: 'review', arguments: { id: report.created } })).messages[0].content.text;
report.completed = (await client.complete({
  ref: { type: 'ref/resource', uri: 'issues://{workspace}/{id}' }, argument: { name: 'id', value: report.created.slice(0, 8) },
})).completion.values;

let tell;
const told = new Promise(resolve => { tell = resolve; });
client.setNotificationHandler(v1 ? ResourceUpdatedNotificationSchema : 'notifications/resources/updated', notification => tell(notification.params.uri));
const listening = revision === '2026-07-28' ? await client.listen({ resourceSubscriptions: [uri] }) : await client.subscribeResource({ uri });
await call('issues_update', { id: report.created, priority: 'high' });
report.updated = await told;

if (revision === '2026-07-28') {
  await listening.close();
} else {
  const question = new Promise(resolve => { asked = resolve; });
  const leaving = new AbortController();
  const left = call('issues_delete', { id: report.created }, { signal: leaving.signal }).then(() => '', error => String(error.message ?? error));
  await question;
  leaving.abort('the user has left');
  report.cancelled = await left;
}
user = { action: 'decline' };
report.declined = text(await call('issues_delete', { id: report.created }));
user = { action: 'accept', content: { confirm: true } };
report.deleted = text(await call('issues_delete', { id: report.created }));
await client.close();
console.log(JSON.stringify(report));
process.exit(0); // a question that nobody answers may be open still
