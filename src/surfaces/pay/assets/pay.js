// The live part of a pay page: countdown, copy buttons, and the change of state. Everything it shows is drawn by the server;
// without this file the page still says how to pay and loads itself again now and then.

const POLL_MS = 3_000
const POLL_HIDDEN_MS = 30_000
const POLL_OVER_MS = 15_000
const POLL_MS_MAX = 60_000

let failures = 0
let timer = 0

const main = () => document.querySelector('main')
const notice = document.querySelector('#notice')

// The payer's clock may be wrong, so time is counted from what the server said when it drew the page.
let serverAheadMs = Number(main().dataset.now) - Date.now()

function tick() {
  const countdown = document.querySelector('.countdown')
  if (countdown === null) return
  const leftSeconds = Math.floor((Number(countdown.dataset.expires) - Date.now() - serverAheadMs) / 1000)
  const text = `${countdown.dataset.label} ${format(Math.max(0, leftSeconds))}`
  if (countdown.textContent !== text) countdown.textContent = text
  countdown.classList.toggle('short', leftSeconds < 120)
  if (leftSeconds < 0 && countdown.dataset.over !== '1') {
    countdown.dataset.over = '1'
    look()
  }
}

function format(seconds) {
  const two = (value) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

async function look() {
  clearTimeout(timer)
  const shown = main()
  if (shown.dataset.status === undefined) return
  try {
    const response = await fetch(shown.dataset.status, { cache: 'no-store' })
    if (!response.ok) throw new Error(String(response.status))
    const status = await response.json()
    failures = 0
    notice.textContent = ''
    if (status.version !== shown.dataset.version) await redraw()
  } catch {
    failures += 1
    if (failures > 1) notice.textContent = document.body.dataset.lost
  }
  schedule()
}

async function redraw() {
  const response = await fetch(location.href, { cache: 'no-store' })
  if (!response.ok) throw new Error(String(response.status))
  const next = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('main')
  if (next === null) throw new Error('no page')
  serverAheadMs = Number(next.dataset.now) - Date.now()
  const chosen = main().querySelector('.ways input:checked')?.value
  main().replaceWith(next)
  if (chosen !== undefined) choose(next, chosen)
  document.querySelector('#said').textContent = next.querySelector('h1').textContent
  dress()
}

// A payer in the middle of choosing keeps what they chose.
function choose(page, value) {
  const input = [...page.querySelectorAll('.ways input[type="radio"]')].find((one) => one.value === value)
  if (input === undefined) return
  input.checked = true
  const group = input.closest('details')
  if (group !== null) group.open = true
}

function schedule() {
  clearTimeout(timer)
  if (main().dataset.status === undefined) return
  const isAwaited = ['choosing', 'payable', 'partly_paid', 'reversed', 'preparing'].includes(main().dataset.state)
  const calm = document.hidden ? POLL_HIDDEN_MS : isAwaited ? POLL_MS : POLL_OVER_MS
  timer = setTimeout(look, Math.min(calm * 2 ** failures, POLL_MS_MAX))
}

function dress() {
  for (const button of document.querySelectorAll('button.copy')) button.hidden = false
  tick()
}

document.addEventListener('click', async (event) => {
  const button = event.target.closest('button.copy')
  if (button === null) return
  const isDone = await copy(button.dataset.copy)
  if (!isDone || button.dataset.label !== undefined) return
  button.dataset.label = button.textContent
  button.textContent = button.dataset.done
  notice.textContent = button.dataset.done
  setTimeout(() => {
    button.textContent = button.dataset.label
    delete button.dataset.label
    notice.textContent = ''
  }, 2_000)
})

// Browsers give the clipboard to pages over https only; over plain http the old way still works.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const field = document.createElement('textarea')
    field.value = text
    field.className = 'unseen'
    document.body.append(field)
    field.select()
    const isDone = document.execCommand('copy')
    field.remove()
    return isDone
  }
}

document.addEventListener('visibilitychange', () => (document.hidden ? schedule() : look()))
setInterval(tick, 500)
dress()
schedule()
