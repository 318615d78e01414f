//! The graph of which step waits for which.

use std::collections::BTreeSet;

/// Steps that wait for each other, in the order in which they do; `None` where none do.
pub(crate) fn circle(needs: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut graph = Graph::new(needs);
    let mut ended = vec![false; needs.len()];
    while let Some(next) = graph.ready.pop_first() {
        ended[next] = true;
        graph.end(next);
    }
    // Whoever is left waits for somebody who is left: following that leads around.
    let mut at = ended.iter().position(|ended| !ended)?;
    let mut seen = Vec::new();
    loop {
        if let Some(begin) = seen.iter().position(|step| *step == at) {
            return Some(seen.split_off(begin));
        }
        seen.push(at);
        at = *needs[at].iter().find(|need| !ended[**need])?;
    }
}

/// The steps that can begin, kept up to date in time that grows with the arrows and not with their square.
#[derive(Debug)]
pub(crate) struct Graph {
    dependents: Vec<Vec<usize>>,
    /// The number of steps that each step still waits for.
    waiting: Vec<usize>,
    /// The steps that can begin, in the order of the definition.
    pub(crate) ready: BTreeSet<usize>,
}

impl Graph {
    pub(crate) fn new(needs: &[Vec<usize>]) -> Self {
        let mut dependents = vec![Vec::new(); needs.len()];
        for (step, needed) in needs.iter().enumerate() {
            needed.iter().for_each(|need| dependents[*need].push(step));
        }
        let waiting: Vec<usize> = needs.iter().map(Vec::len).collect();
        let ready = (0..needs.len()).filter(|step| waiting[*step] == 0).collect();
        Self { dependents, waiting, ready }
    }

    /// The step has ended: those that waited for it alone can begin.
    pub(crate) fn end(&mut self, step: usize) {
        for dependent in &self.dependents[step] {
            self.waiting[*dependent] -= 1;
            if self.waiting[*dependent] == 0 {
                self.ready.insert(*dependent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_circle_is_found_and_named_in_its_order() {
        assert_eq!(circle(&[vec![], vec![0], vec![1, 0]]), None);
        let found = circle(&[vec![], vec![3], vec![1], vec![2]]).unwrap();
        assert_eq!(found.len(), 3);
        assert!(!found.contains(&0));
        assert_eq!(circle(&[vec![0]]), Some(vec![0]));
    }

    proptest! {
        #[test]
        fn each_step_begins_after_all_that_it_needs(arrows in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4), 1..40)) {
            let needs: Vec<Vec<usize>> = arrows.iter().enumerate().map(|(step, needs)| {
                let earlier = needs.iter().filter(|_| step > 0).map(|need| usize::from(*need) % step);
                earlier.collect::<BTreeSet<_>>().into_iter().collect()
            }).collect();
            prop_assert_eq!(circle(&needs), None);
            let mut graph = Graph::new(&needs);
            let mut ended = BTreeSet::new();
            while let Some(next) = graph.ready.pop_last() {
                prop_assert!(needs[next].iter().all(|need| ended.contains(need)));
                ended.insert(next);
                graph.end(next);
            }
            prop_assert_eq!(ended.len(), needs.len());
        }
    }
}
