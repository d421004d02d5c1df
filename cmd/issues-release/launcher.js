#!/usr/bin/env node
// Starts the program of the package for this system, which npm has installed beside this one.
"use strict";
const { spawn } = require("node:child_process");

const executable = process.platform === "win32" ? "issues-index.exe" : "issues-index";

function program() {
  // A node for amd64 can run on arm64, and a package may be there for either.
  for (const processor of [process.arch, "x64", "arm64"]) {
    try {
      return require.resolve(`issues-index-${process.platform}-${processor}/bin/${executable}`);
    } catch {
      continue;
    }
  }
  console.error(
    `issues-index: the package issues-index-${process.platform}-${process.arch} is not installed.\n` +
      "Install issues-index again, without --omit=optional. A package-lock.json made on another\n" +
      "system can leave it out: delete it first. There are programs for Linux, macOS and Windows\n" +
      "on x64 and arm64.",
  );
  process.exit(1);
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit", windowsHide: true });
child.on("error", (error) => {
  console.error(`issues-index: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
// Ctrl+C reaches both; the program decides when it ends.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
