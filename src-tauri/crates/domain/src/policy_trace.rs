//! The trace of a decision of the policy: which check decided, which said nothing before it, and what Arki made of each
//! command of the line.

use crate::Decision;

payload! {
    /// A link in the policy's chain of checks, in their order: the first one that has something to say decides.
    #[derive(PartialOrd, Ord)]
    enum PolicyCheck {
        /// The check for untrusted folders: everything but reading is denied.
        Trust,
        /// A tool that doesn't exist is denied.
        UnknownTool,
        /// The check for tools that the current agent doesn't have. They are unknown to it as well.
        AgentTools,
        /// The check for tools that the user has switched off for the session.
        DisabledTools,
        /// The check for runs that only plan: they may only read.
        PlanOnly,
        /// The check for agents that only read.
        ReadOnlyAgent,
        /// Rules and categories that deny.
        DenyRules,
        /// Nothing is allowed where a configuration that may forbid something can't be read.
        UnreadableConfiguration,
        HookDenial,
        /// Secret files, secrets and protected paths are asked about, whatever was granted.
        Sensitive,
        HookQuestion,
        /// Git is asked about where its configuration or hooks changed since the folder was trusted.
        ChangedGit,
        RepeatedCall,
        OnProject,
        /// The user's and the project's other rules: the strictest that matches.
        Rules,
        SessionGrants,
        /// Commands in a view of the project run, and their changes are reviewed before they land.
        EffectsReview,
        /// `--approve`, or the window's choice for a run.
        ApprovedInAdvance,
        /// Large changes, and changes to files that control tools.
        ChangeRisk,
        /// Commands that are known to only read, or to build and test inside the sandbox.
        KnownCommand,
        /// The check for commands that can't be understood: these are asked about even if all commands are allowed.
        NotUnderstood,
        /// A trial without views: commands that are understood run read-only first, and are asked about if that fails.
        TriedReadOnly,
        CategoryDefault,
    }

    enum CheckOutcome {
        /// It had nothing to say.
        Passed,
        Decided,
        /// One before it had decided.
        NotReached,
    }

    #[derive(Eq)]
    TracedCheck {
        pub check: PolicyCheck,
        pub outcome: CheckOutcome,
        /// For a check that goes through rules: the number of rules before the one that matched, or of all rules if none
        /// did. Absent if the log doesn't say which rules there were.
        #[ts(optional = nullable)]
        pub rules_before?: Option<usize>,
    }

    /// The classification of one simple command by itself.
    enum CommandReading {
        OnlyReads,
        BuildsOrTests,
        NotKnown,
        /// Known to destroy, to reach out or to change who may do what.
        Dangerous,
        NotUnderstood,
    }

    /// A simple command of a shell line.
    #[derive(Eq)]
    CommandPart {
        /// Its words as they were understood; the whole line where that can't be understood.
        pub command: String,
        pub reading: CommandReading,
        /// The effect of a dangerous command, as a sentence; for one that isn't understood, the part that isn't.
        #[ts(optional = nullable)]
        pub why?: Option<String>,
    }

    /// The way to a decision of the policy. It agrees with the log: the decision, its rule and its reason are the recorded
    /// ones.
    #[derive(Eq)]
    PolicyTrace {
        pub decision: Decision,
        pub rule: String,
        pub reason: String,
        /// All checks, in their order; exactly one decided.
        pub checks: Vec<TracedCheck>,
        /// The commands of the line, in order; empty for what is no command, and where today's reading of the line doesn't
        /// fit the decision, which an earlier version may have made.
        pub parts: Vec<CommandPart>,
    }
}

impl PolicyTrace {
    /// The check that decided.
    #[must_use]
    pub fn decided_by(&self) -> Option<PolicyCheck> {
        self.checks.iter().find(|traced| traced.outcome == CheckOutcome::Decided).map(|traced| traced.check)
    }
}
