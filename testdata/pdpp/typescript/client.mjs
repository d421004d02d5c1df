// Calls a server's tools as hosts built on the official TypeScript SDK do: it lists
// the tools first, after which the SDK holds every answer that has structured content
// to the tool's output schema, errors too, and throws away what does not conform.
//
//   node client.mjs COMMAND [ARGUMENT...] < calls.json > outcomes.json
//
// calls.json is a list of {"name", "arguments"}; outcomes.json has, for each, what the
// host gets: {"text", "isError", "code"}, or {"thrown"} in place of them.
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

async function outcome(client, call) {
  try {
    const result = await client.callTool(call);
    return {
      text: result.content.map(block => block.text ?? '').join('\n'),
      isError: result.isError === true,
      code: result._meta?.error?.code ?? '',
    };
  } catch (error) {
    return { thrown: String(error.message) };
  }
}

// What becomes of an error whose structured content breaks the output schema. A client
// that lets it pass would make the rest of this prove nothing.
async function planted() {
  const server = new Server({ name: 'planted', version: '0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{
      name: 'planted',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object', properties: { data: { type: 'object' } }, required: ['data'] },
    }],
  }));
  server.setRequestHandler(CallToolRequestSchema, () => ({
    isError: true,
    content: [{ type: 'text', text: 'Error [planted]' }],
    structuredContent: { error: { code: 'planted' } },
  }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'typescript', version: '0' });
  await Promise.all([server.connect(far), client.connect(near)]);
  await client.listTools();
  const got = await outcome(client, { name: 'planted', arguments: {} });
  await client.close();
  return got;
}

const [command, ...args] = process.argv.slice(2);
const calls = JSON.parse(readFileSync(0, 'utf8'));
const client = new Client({ name: 'typescript', version: '0' });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' }));
const tools = [];
let cursor;
do {
  const page = await client.listTools(cursor ? { cursor } : undefined);
  tools.push(...page.tools.map(tool => tool.name));
  cursor = page.nextCursor;
} while (cursor);
const outcomes = [];
for (const call of calls) outcomes.push(await outcome(client, call));
await client.close();
console.log(JSON.stringify({ instructions: client.getInstructions() ?? '', tools, outcomes, planted: await planted() }));
