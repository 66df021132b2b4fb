//! What was last made from an image: it serves whoever asks next, until a commit brings another image.
//! For answers that are asked for far more often than they change.

use std::sync::{Arc, Weak};

use arc_swap::ArcSwapOption;

/// Holds one value. The image itself is not kept alive.
pub struct ImageCache<I, T>(ArcSwapOption<(Weak<I>, T)>);

impl<I, T> Default for ImageCache<I, T> {
    fn default() -> Self {
        Self(ArcSwapOption::empty())
    }
}

impl<I, T: Clone> ImageCache<I, T> {
    /// What was made from this very image.
    pub fn get(&self, image: &Arc<I>) -> Option<T> {
        let kept = self.0.load();
        let (made_from, value) = &**kept.as_ref()?;
        // The weak pointer keeps the place from being used by another image.
        (made_from.as_ptr() == Arc::as_ptr(image)).then(|| value.clone())
    }

    pub fn put(&self, image: &Arc<I>, value: T) {
        self.0.store(Some(Arc::new((Arc::downgrade(image), value))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_serves_its_image_and_no_other() {
        let (cache, first) = (ImageCache::default(), Arc::new(1));
        assert_eq!(cache.get(&first), None);
        cache.put(&first, "first");
        assert_eq!(cache.get(&first), Some("first"));
        assert_eq!(cache.get(&Arc::new(1)), None);

        let second = Arc::new(1);
        cache.put(&second, "second");
        assert_eq!((cache.get(&first), cache.get(&second)), (None, Some("second")));
    }

    #[test]
    fn a_new_image_never_stands_where_the_one_before_stood() {
        let cache = ImageCache::default();
        for round in 0..100 {
            let image = Arc::new(round);
            assert_eq!(cache.get(&image), None, "{round}");
            cache.put(&image, round);
        }
    }
}
