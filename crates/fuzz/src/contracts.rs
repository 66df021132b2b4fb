//! The contract of each service, compiled once: every exchange is compared with it, and requests are made of it.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde_json::Value;
use starkeep_contract_check::ContractCheck;
use starkeep_platform::service::Service;

pub(crate) struct Contract {
    pub(crate) document: Value,
    pub(crate) check: ContractCheck,
}

/// The contract of the service, by its name.
pub(crate) fn of(service: &dyn Service) -> Arc<Contract> {
    static COMPILED: LazyLock<Mutex<BTreeMap<&'static str, Arc<Contract>>>> = LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let compile = || {
        let document = serde_json::to_value(service.contract()).expect("a contract is plain data");
        Arc::new(Contract { check: ContractCheck::new(document.clone()), document })
    };
    compiled.entry(service.name()).or_insert_with(compile).clone()
}

impl Contract {
    /// The path of the contract that this one is an instance of: the one with the fewest parameters.
    pub(crate) fn template(&self, path: &str) -> Option<&str> {
        let path = path.split('?').next().unwrap_or_default();
        let templates =
            self.document["paths"].as_object().into_iter().flatten().map(|(template, _)| template);
        let fitting = templates.filter(|template| fits(template, path));
        fitting.min_by_key(|template| template.matches('{').count()).map(String::as_str)
    }
}

fn fits(template: &str, path: &str) -> bool {
    let (wanted, given) = (template.split('/'), path.split('/'));
    wanted.clone().count() == given.clone().count()
        && wanted.zip(given).all(|(wanted, given)| wanted.starts_with('{') || wanted == given)
}
