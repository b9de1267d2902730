#!/usr/bin/env node
import { runBun } from './run-bun.mjs'

runBun(process.argv.slice(2))
