//! Two ways of doing the same, in turn, so that whatever else the machine does meets both.

use std::time::Duration;

/// Seconds an event of either, and how many times as fast as the second the first is: the median over the pairs.
pub(crate) struct Compared {
    pub(crate) ours: f64,
    pub(crate) bare: f64,
    pub(crate) ratio: f64,
}

/// The first pair is thrown away. `events` are those of one measurement.
pub(crate) fn compare(
    pairs: usize,
    events: usize,
    mut ours: impl FnMut() -> Duration,
    mut bare: impl FnMut() -> Duration,
) -> Compared {
    let mut times = Vec::new();
    for pair in 0..=pairs {
        let (our, their) = if pair % 2 == 0 {
            let our = ours();
            (our, bare())
        } else {
            let their = bare();
            (ours(), their)
        };
        if pair > 0 {
            times.push((our.as_secs_f64() / events as f64, their.as_secs_f64() / events as f64));
        }
    }
    let column = |value: fn(&(f64, f64)) -> f64| median(times.iter().map(value).collect());
    Compared { ours: column(|pair| pair.0), bare: column(|pair| pair.1), ratio: column(|pair| pair.1 / pair.0) }
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl Compared {
    pub(crate) fn print(&self, name: &str) {
        println!("{name}_events_a_second {:.0}", 1.0 / self.ours);
        println!("{name}_bare_events_a_second {:.0}", 1.0 / self.bare);
        println!("{name}_ratio {:.3}", self.ratio);
    }
}
