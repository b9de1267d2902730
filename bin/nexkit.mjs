#!/usr/bin/env node
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runBun } from './run-bun.mjs'

const cli = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'cli.ts')
runBun([cli, ...process.argv.slice(2)])
