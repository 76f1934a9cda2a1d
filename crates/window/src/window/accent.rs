//! The one colour of pages, taken from the character's picture.
//!
//! The stylesheet fixes how light each colour is, so that only a hue and how strong it is are looked for: contrast holds
//! whatever they are.

use std::f64::consts::TAU;
use std::io::Cursor;

use png::{Decoder, Limits, Transformations};

/// The largest picture that is looked at, in pixels, and in bytes of memory.
const PIXELS_MAX: u64 = 24_000_000;
const MEMORY_MAX: usize = 128 << 20;

/// So many pixels along each side are looked at.
const SAMPLES: usize = 160;

/// Hues that are told apart.
const HUES: usize = 36;

/// How strong the colour may be.
const STRENGTH: std::ops::RangeInclusive<f64> = 0.03..=0.085;

/// What is weaker is grey, and what is as dark or as light says nothing of its hue.
const GREY: f64 = 0.035;
const LIGHTNESS: std::ops::RangeInclusive<f64> = 0.15..=0.96;

/// So much of a picture has a colour at least, or it has none.
const COLOURED: f64 = 0.02;

/// A colour by its hue, in degrees, and its strength (the chroma of Oklch).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Accent {
    hue: f64,
    strength: f64,
}

impl Accent {
    /// Of a PNG; `None` where it has no colour, or is none that is looked at. Blocks.
    pub(super) fn of_png(bytes: &[u8]) -> Option<Self> {
        let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MEMORY_MAX });
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().ok()?;
        let (width, height) = (reader.info().width, reader.info().height);
        if u64::from(width) * u64::from(height) > PIXELS_MAX {
            return None;
        }
        let samples = reader.output_color_type().0.samples();
        let step = |length: u32| (length as usize / SAMPLES).max(1);
        let mut pixels = Vec::new();
        let mut number = 0;
        // Row by row: all of it at once would be many times what is looked at.
        while let Some(row) = reader.next_row().ok()? {
            if number % step(height) == 0 {
                let looked_at = row.data().chunks_exact(samples).step_by(step(width));
                pixels.extend(looked_at.filter_map(|pixel| match *pixel {
                    [red, green, blue] => Some([red, green, blue]),
                    [red, green, blue, alpha] if alpha > 127 => Some([red, green, blue]),
                    _ => None,
                }));
            }
            number += 1;
        }
        Self::of_pixels(pixels.into_iter())
    }

    fn of_pixels(pixels: impl Iterator<Item = [u8; 3]>) -> Option<Self> {
        let mut hues = [(0.0, 0.0, 0.0); HUES];
        let (mut all, mut coloured) = (0.0, 0.0);
        for pixel in pixels {
            all += 1.0;
            let (lightness, a, b) = oklab(pixel);
            let strength = a.hypot(b);
            if strength < GREY || !LIGHTNESS.contains(&lightness) {
                continue;
            }
            coloured += 1.0;
            let hue = b.atan2(a).rem_euclid(TAU);
            let of_hue = &mut hues[((hue / TAU * HUES as f64) as usize).min(HUES - 1)];
            *of_hue = (of_hue.0 + a, of_hue.1 + b, of_hue.2 + 1.0);
        }
        if coloured <= all * COLOURED {
            return None;
        }
        // With what is right beside it: a colour seldom keeps to one of them.
        let beside = |at: usize, off: usize| hues[(at + off + HUES - 1) % HUES];
        let together = |at: usize| {
            (0..3).map(|off| beside(at, off)).fold((0.0, 0.0, 0.0), |sum: (f64, f64, f64), one| {
                (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2)
            })
        };
        let most = (0..HUES).max_by(|one, other| {
            let weight = |at: &usize| together(*at).0.hypot(together(*at).1);
            weight(one).total_cmp(&weight(other))
        })?;
        let (a, b, count) = together(most);
        let strength = (a / count).hypot(b / count) * 0.6;
        Some(Self {
            hue: b.atan2(a).rem_euclid(TAU).to_degrees(),
            strength: strength.clamp(*STRENGTH.start(), *STRENGTH.end()),
        })
    }

    pub(super) fn css(self) -> String {
        format!(":root {{ --hue: {:.0}; --chroma: {:.3} }}\n", self.hue, self.strength)
    }
}

/// In Oklab (Björn Ottosson, "A perceptual color space for image processing").
fn oklab(pixel: [u8; 3]) -> (f64, f64, f64) {
    let [red, green, blue] = pixel.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    let long = (0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue).cbrt();
    let middle = (0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue).cbrt();
    let short = (0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue).cbrt();
    (
        0.210_454_255_3 * long + 0.793_617_785 * middle - 0.004_072_046_8 * short,
        1.977_998_495_1 * long - 2.428_592_205 * middle + 0.450_593_709_9 * short,
        0.025_904_037_1 * long + 0.782_771_766_2 * middle - 0.808_675_766 * short,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of a colour of Oklch as a screen shows it (WCAG 2.2, "relative luminance").
    fn luminance(lightness: f64, strength: f64, hue: f64) -> f64 {
        let (a, b) = (strength * hue.to_radians().cos(), strength * hue.to_radians().sin());
        let long = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let middle = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let short = (lightness - 0.089_484_177_5 * a - 1.291_485_548 * b).powi(3);
        let red = 4.076_741_662_1 * long - 3.307_711_591_3 * middle + 0.230_969_929_2 * short;
        let green = -1.268_438_004_6 * long + 2.609_757_401_1 * middle - 0.341_319_396_5 * short;
        let blue = -0.004_196_086_3 * long - 0.703_418_614_7 * middle + 1.707_614_701 * short;
        let [red, green, blue] = [red, green, blue].map(|part: f64| part.clamp(0.0, 1.0));
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(one: f64, other: f64) -> f64 {
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// The lightness of a colour in both themes and how much of the strength it has, as the stylesheet says.
    fn of_stylesheet(name: &str) -> [(f64, f64, bool); 2] {
        let css = include_str!("assets/app.css");
        let line = css.lines().find(|line| line.trim_start().starts_with(&format!("--{name}:"))).unwrap();
        let mut found = line.split("oklch(").skip(1).map(|colour| {
            let lightness: f64 = colour.split_whitespace().next().unwrap().parse().unwrap();
            let rest = &colour[colour.find(' ').unwrap() + 1..];
            if let Some(share) = rest.strip_prefix("calc(var(--chroma) * ") {
                return (lightness, share.split(')').next().unwrap().parse().unwrap(), true);
            }
            if rest.starts_with("var(--chroma)") {
                return (lightness, 1.0, true);
            }
            (lightness, rest.split([' ', ')']).next().unwrap().parse().unwrap(), false)
        });
        [found.next().unwrap(), found.next().unwrap()]
    }

    #[test]
    fn whatever_the_colour_words_stand_out_by_4_5_to_1_in_both_themes() {
        let pairs = [
            ("accent", "paper", 4.5),
            ("accent", "rail", 4.5),
            ("accent", "wash", 4.5),
            ("accent", "accent-wash", 4.5),
            ("on-accent", "accent", 4.5),
            ("soft", "paper", 4.5),
            ("soft", "wash", 4.5),
            ("soft", "accent-wash", 4.5),
            ("ink", "accent-wash", 4.5),
            ("edge", "paper", 3.0),
        ];
        for (words, behind, least) in pairs {
            let both = of_stylesheet(words).into_iter().zip(of_stylesheet(behind));
            for (theme, (front, back)) in ["light", "dark"].into_iter().zip(both) {
                for hue in (0..360).step_by(3).map(f64::from) {
                    for strength in [*STRENGTH.start(), 0.045, 0.06, *STRENGTH.end()] {
                        let shown = |(lightness, share, is_accent): (f64, f64, bool)| {
                            luminance(lightness, if is_accent { strength * share } else { share }, hue)
                        };
                        let found = contrast(shown(front), shown(back));
                        assert!(
                            found >= least,
                            "{words} on {behind}, {theme}, {hue}°, {strength}: {found:.2}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_picture_gives_the_hue_that_most_of_its_colour_has_and_grey_gives_none() {
        let of = |pixels: Vec<[u8; 3]>| Accent::of_pixels(pixels.into_iter());
        let blue = [vec![[40, 80, 200]; 60], vec![[200, 60, 40]; 20], vec![[128, 128, 128]; 400]].concat();
        let found = of(blue).unwrap();
        assert!((255.0..275.0).contains(&found.hue) && STRENGTH.contains(&found.strength), "{found:?}");
        let red = of(vec![[200, 60, 40]; 9]).unwrap();
        assert!(red.hue < 45.0 || red.hue > 345.0, "{red:?}");
        assert_eq!(of([vec![[128, 128, 128]; 400], vec![[200, 60, 40]; 4]].concat()), None);
        assert_eq!(of(Vec::new()), None);
        assert_eq!(of(vec![[0, 0, 0]; 9]), None);
    }

    #[test]
    fn what_is_no_picture_or_too_large_has_no_colour() {
        let png = |width: u32, height: u32, rgb: [u8; 3]| {
            let mut bytes = Vec::new();
            let mut encoder = png::Encoder::new(&mut bytes, width, height);
            encoder.set_color(png::ColorType::Rgb);
            let mut writer = encoder.write_header().unwrap();
            writer.write_image_data(&rgb.repeat(width as usize * height as usize)).unwrap();
            writer.finish().unwrap();
            bytes
        };
        let whole = png(40, 30, [40, 80, 200]);
        assert!(Accent::of_png(&whole).is_some_and(|found| found.css().starts_with(":root { --hue: 26")));
        assert_eq!(Accent::of_png(&whole[..whole.len() / 2]), None);
        assert_eq!(Accent::of_png(b"GIF89a"), None);
        let mut huge = whole;
        huge[16..24].copy_from_slice(&[0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20]);
        assert_eq!(Accent::of_png(&huge), None, "20,000 pixels each way");
    }
}
