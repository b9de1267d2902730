/**
 * Given on the command line at every start, so that a newer Nexkit changes them for folders that an older one created; the
 * postgresql.conf that initdb writes stays as it is, and what an operator writes there counts where we say nothing.
 * Meant for a small machine that runs this server and PostgreSQL side by side.
 */
const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  // A socket path may have 107 bytes at most, which a deep data folder exceeds.
  unix_socket_directories: '',
  max_connections: '100',
  // A statement over a table with partitions by day locks every partition and index that it plans for: at 64, the default,
  // a dozen lists over three months of deliveries would exhaust the lock table for all (error 53200).
  max_locks_per_transaction: '512',
  // Locks of serializable transactions, of which there are none.
  max_pred_locks_per_transaction: '10',
  shared_buffers: '128MB',
  huge_pages: 'off',
  // Files in the cluster instead of /dev/shm, which containers often keep at 64 MB or leave out.
  dynamic_shared_memory_type: 'mmap',
  // Short statements only: starting helpers costs more than they save, and so do the compiler and I/O workers.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  jit: 'off',
  io_method: 'sync',
  // How many reads a process may have under way; the default reserves 6 MB for all connections, and 'sync' has one.
  io_max_concurrency: '8',
  max_logical_replication_workers: '0',
  // What was answered must survive a power cut.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_compression: 'pglz',
  // More would save checkpoints and cost time after a crash: this much is replayed within seconds.
  max_wal_size: '1GB',
  checkpoint_timeout: '5min',
  random_page_cost: '1.1',
  effective_cache_size: '512MB',
  // The outbox turns its few rows over all day long.
  autovacuum: 'on',
  autovacuum_naptime: '15s',
  // Statements of a server that was killed end soon after it.
  client_connection_check_interval: '10s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Starts, stops and crashes only: failed statements are logged by the server that sent them, and the file is rotated
  // at starts alone.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
}

export function postgresArguments(cluster: string, port: number, settings: Record<string, string> = {}): string[] {
  const all = Object.entries({ ...SETTINGS, ...settings })
  return ['-D', cluster, '-p', String(port), ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** One role with a password, over loopback. Written at every start, for the same reason. */
export const HOST_BASED_AUTHENTICATION = `# Written by Nexkit at every start.
hostnossl all all 127.0.0.1/32 scram-sha-256
`
