/**
 * Name resolution that cannot be held up. `node:dns` asks getaddrinfo on the thread pool, which has as many threads as
 * the machine has cores and also serves file access: measured on two cores, twenty names whose name server never
 * answers kept every other lookup and every file read waiting for 10 to 20 seconds. The c-ares resolver works on the
 * event loop instead, has a time limit, and still reads the hosts file.
 */
export async function resolveHost(hostname: string): Promise<string[]> {
  const answers = await Bun.dns.lookup(hostname, { backend: 'c-ares' })
  return answers.map((answer) => answer.address)
}
