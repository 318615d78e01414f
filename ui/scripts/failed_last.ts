import type { Reporter, TestModule } from "vitest/node";

/**
 * Names the failed tests once more at the very end: of a long run often only the end is kept, and Vitest's own reporter
 * ends with counts.
 */
export class FailedLast implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const failed = modules.flatMap((module) => [...module.children.allTests("failed")]);
    // In the next turn: after what the other reporters print in this one.
    setTimeout(() => {
      for (const test of failed) {
        const message = test.result().errors?.[0]?.message ?? "";
        console.log(`failed: ${test.module.relativeModuleId} > ${test.fullName}: ${message.slice(0, 400)}`);
      }
    }, 0);
  }
}
