import { readFileSync } from "node:fs";

/**
 * Megabytes of memory that this process has had at most, where the system tells: `maxRSS` would begin with what the
 * parent had.
 */
export function peakMemory() {
  try {
    const kilobytes = /^VmHWM:\s*(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"));
    return Number(kilobytes[1]) / 1024;
  } catch {
    return null;
  }
}
