//! The parts of an executor, put together.

use super::background_subagents::BackgroundSubagents;
use super::call_log::CallLog;
use super::checking::Checking;
use super::checkpoint::ProjectImages;
use super::command::CommandRunner;
use super::command_review::CommandReview;
use super::command_sandbox::CommandRooms;
use super::delegation::DelegatedCalls;
use super::effects::CommandEffects;
use super::formatting::Formatter;
use super::hook_runner::HookRunner;
use super::hooking::CallHooks;
use super::judging::Judge;
use super::kept_whole::CallResults;
use super::mention_reads::UnaskedReads;
use super::question::UserQuestions;
use super::read::ReadCalls;
use super::remote::RemoteCalls;
use super::run_stop::RunStop;
use super::secrets::ProjectSecrets;
use super::signing::CommitSigner;
use super::step::StepRunner;
use super::subject::CallSubjects;
use super::toolbox::Toolbox;
use super::unsaved::UnsavedFiles;
use super::write::FileWriter;
use super::{ExecutorSettings, ToolExecutor};
use arki_domain::{EventLog, LiveBus};
use arki_redaction::Redactor;
use arki_sandbox::GitSight;
use std::sync::{Arc, Mutex};

impl ToolExecutor {
    #[must_use]
    pub fn new(
        log: Arc<dyn EventLog>,
        bus: Arc<dyn LiveBus>,
        redactor: Redactor,
        mut settings: ExecutorSettings,
    ) -> Arc<Self> {
        let toolbox = Arc::new(Toolbox::new(&mut settings, &redactor));
        let settings = Arc::new(settings);
        let call_log = CallLog { log: log.clone(), bus, redactor: redactor.clone() };
        let stop = Arc::new(RunStop::default());
        let secrets = Arc::new(ProjectSecrets::new(settings.clone(), redactor.clone()));
        let rooms = Arc::new(CommandRooms::new(settings.clone()));
        let images = Arc::new(ProjectImages::new(settings.clone()));
        let results = Arc::new(CallResults { settings: settings.clone(), redactor: redactor.clone() });
        let git_sight = GitSight::with_secrets(settings.secrets.clone());
        let judge = Arc::new(Judge {
            toolbox: toolbox.clone(),
            policy: Mutex::new(Arc::new(settings.policy.clone())),
            subjects: CallSubjects { settings: settings.clone(), rooms: rooms.clone(), git_sight },
            secrets: secrets.clone(),
        });
        let asking = Arc::new(UserQuestions { settings: settings.clone(), redactor: redactor.clone() });
        let effects =
            Arc::new(CommandEffects { settings: settings.clone(), judge: judge.clone(), asking: asking.clone() });
        let hooks = CallHooks {
            runner: Arc::new(HookRunner {
                settings: settings.clone(),
                tools: toolbox.tools.clone(),
                redactor,
                rooms: rooms.clone(),
                told_off: Mutex::default(),
            }),
            formatter: Formatter { settings: settings.clone(), log, images: images.clone(), effects: effects.clone() },
            judge: judge.clone(),
            call_log: call_log.clone(),
            stop: stop.clone(),
        };
        let unsaved = Arc::new(UnsavedFiles(settings.clone()));
        let reads = Arc::new(ReadCalls {
            settings: settings.clone(),
            judge: judge.clone(),
            results: results.clone(),
            unsaved: unsaved.clone(),
        });
        let command_review = Arc::new(CommandReview {
            settings: settings.clone(),
            judge: judge.clone(),
            rooms: rooms.clone(),
            signer: CommitSigner(settings.clone()),
        });
        let commands = Arc::new(CommandRunner {
            settings: settings.clone(),
            review: command_review.clone(),
            effects: effects.clone(),
            call_log: call_log.clone(),
            secrets: secrets.clone(),
            rooms: rooms.clone(),
            images: images.clone(),
            signer: CommitSigner(settings.clone()),
            results: results.clone(),
            stop: stop.clone(),
        });
        Arc::new(Self {
            writer: FileWriter {
                settings: settings.clone(),
                asking: asking.clone(),
                checking: Checking::new(settings.clone()),
            },
            asking,
            effects: effects.clone(),
            command_review,
            remotes: RemoteCalls {
                settings: settings.clone(),
                effects: effects.clone(),
                call_log: call_log.clone(),
                secrets,
                results: results.clone(),
            },
            delegations: Arc::new(DelegatedCalls {
                toolbox: toolbox.clone(),
                results: results.clone(),
                call_log: call_log.clone(),
                background: BackgroundSubagents::default(),
            }),
            steps: StepRunner {
                settings: settings.clone(),
                effects: effects.clone(),
                judge: judge.clone(),
                call_log: call_log.clone(),
                rooms,
                images,
                stop: stop.clone(),
            },
            unasked_reads: UnaskedReads {
                judge: judge.clone(),
                hooks: hooks.runner.clone(),
                reads: reads.clone(),
                commands: commands.clone(),
            },
            unsaved,
            settings,
            call_log,
            stop,
            toolbox,
            judge,
            results,
            hooks,
            reads,
            commands,
        })
    }
}
