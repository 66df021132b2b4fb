//! The random generator of the rules: SplitMix64, implemented here so that a seed always gives the same world and game.
//! It is not cryptographic: who knows its state can predict it, so the state is stored and never sent to clients.

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A new generator.
    pub fn from_seed(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Continues where the generator with this [`state`](Self::state) stopped.
    pub fn from_state(state: u64) -> Self {
        Self { state }
    }

    pub fn state(&self) -> u64 {
        self.state
    }

    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// One of 0…n-1, each as likely as any other.
    ///
    /// # Panics
    /// If `n` is 0: there is nothing to choose from.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "a random number below 0");
        // 2^64 is rarely a multiple of n: the first 2^64 mod n numbers would be drawn once too often.
        let surplus = n.wrapping_neg() % n;
        loop {
            let drawn = self.next_u64();
            if drawn >= surplus {
                return drawn % n;
            }
        }
    }

    /// Brings the items into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.index(last + 1);
            items.swap(last, other);
        }
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.index(items.len())]) }
    }

    /// A random position in a list of that length, which is not empty.
    pub fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).expect("a number below a usize is a usize")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_splitmix64() {
        let mut rng = Rng::from_seed(1_234_567);
        let drawn: Vec<u64> = (0..5).map(|_| rng.next_u64()).collect();
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn a_stream_goes_on_from_its_state() {
        let mut rng = Rng::from_seed(7);
        rng.next_u64();
        let mut resumed = Rng::from_state(rng.state());
        assert_eq!(resumed.next_u64(), rng.next_u64());
    }

    #[test]
    fn below_reaches_every_number_about_equally_often() {
        let mut rng = Rng::from_seed(1);
        let mut seen = [0; 6];
        for _ in 0..6_000 {
            seen[usize::try_from(rng.below(6)).unwrap()] += 1;
        }
        assert!(seen.iter().all(|times| (850..1150).contains(times)), "{seen:?}");
        assert_eq!(rng.below(1), 0);
    }

    #[test]
    fn below_rejects_the_surplus() {
        // 2^64 is 4/3 of n: without rejection the lowest third would come twice as often as each of the others.
        let n = 3 << 62;
        let mut rng = Rng::from_seed(3);
        let low = (0..3_000).filter(|_| rng.below(n) < n / 3).count();
        assert!((900..1_100).contains(&low), "{low} of 3000 in the lowest third");
    }

    #[test]
    fn a_shuffle_keeps_all_and_reaches_all_orders() {
        let mut rng = Rng::from_seed(5);
        let mut orders = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let mut items = [1, 2, 3, 4];
            rng.shuffle(&mut items);
            orders.insert(items);
        }
        assert_eq!(orders.len(), 24);
    }

    #[test]
    fn pick_of_nothing_is_nothing() {
        let mut rng = Rng::from_seed(5);
        assert_eq!(rng.pick::<u8>(&[]), None);
        assert_eq!(rng.pick(&[9]), Some(&9));
    }
}
