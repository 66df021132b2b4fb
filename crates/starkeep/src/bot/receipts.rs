//! The states of the accepted commands: asked when their round is over, and once more where one was not final by then.
//! Only the open questions are kept, so that a long game takes no more memory than a short one.

use std::sync::Arc;

use starkeep_client::ClientError;
use starkeep_contract::TransactionId;
use starkeep_contract::command::{CommandState, Receipt};

use super::RECEIPTS_AT_A_TIME;
use super::bounded_tasks::BoundedTasks;
use super::service::Service;
use super::tally::Tally;

/// Rounds may be quicker than the answers; what is not kept then is counted as not known.
const MOST_QUESTIONS: usize = 100_000;

pub(super) struct Receipts {
    service: Arc<Service>,
    unasked: Vec<Question>,
    asking: BoundedTasks<Question, Answer>,
}

#[derive(Clone, Copy)]
struct Question {
    command: TransactionId,
    again: bool,
}

pub(super) type Answer = (Again, Result<Receipt, ClientError>);
/// What is asked once more, unless the answer is final.
type Again = Option<TransactionId>;

impl Receipts {
    pub(super) fn new(service: Arc<Service>) -> Self {
        Self { service, unasked: Vec::new(), asking: BoundedTasks::new(RECEIPTS_AT_A_TIME) }
    }

    pub(super) fn keep(&mut self, command: TransactionId) {
        if self.unasked.len() + self.asking.len() < MOST_QUESTIONS {
            self.unasked.push(Question { command, again: false });
        }
    }

    /// A round is over: from now on everybody may read the states of its commands.
    pub(super) fn ask(&mut self) {
        self.asking.add(self.unasked.drain(..));
    }

    /// The next answer; none if nothing is being asked.
    pub(super) async fn next(&mut self) -> Option<Answer> {
        let service = &self.service;
        let begin = |question: Question| {
            let service = service.clone();
            async move {
                let receipt = service.client.receipt(question.command).await;
                ((!question.again).then_some(question.command), receipt)
            }
        };
        self.asking.next(begin).await
    }

    pub(super) fn record(&mut self, (again, receipt): Answer, tally: &mut Tally) {
        match (receipt.map(|receipt| receipt.state), again) {
            (Ok(CommandState::Pending) | Err(_), Some(command)) => {
                self.unasked.push(Question { command, again: true });
            }
            (Ok(state), _) => tally.became(state),
            // The tally counts it as accepted, and its state as not known.
            (Err(_), None) => {}
        }
    }

    /// Asks all that is left, to its end.
    pub(super) async fn settle(&mut self, tally: &mut Tally) {
        while !self.unasked.is_empty() || self.asking.len() > 0 {
            self.ask();
            while let Some(answer) = self.next().await {
                self.record(answer, tally);
            }
        }
    }
}
