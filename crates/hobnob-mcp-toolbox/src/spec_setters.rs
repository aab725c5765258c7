//! What the specs of tools, resources and prompts have in common: the setters for the person's side
//! of a list entry, and the conversion from the one text that each of them needs.

/// Declares these for a spec whose `new` takes a text.
macro_rules! spec_setters {
    ($spec:ident) => {
        impl $spec {
            /// Sets a name for people.
            #[must_use]
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.title = Some(title.into());
                self
            }

            /// Adds an icon for user interfaces.
            #[must_use]
            pub fn icon(mut self, icon: hobnob_mcp_types::annotations::Icon) -> Self {
                self.icons.push(icon);
                self
            }

            /// Sets metadata for the client; it must serialise to an object.
            #[must_use]
            pub fn meta(mut self, meta: &impl serde::Serialize) -> Self {
                self.meta = serde_json::value::to_raw_value(meta).ok();
                self
            }
        }

        impl From<&str> for $spec {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }

        impl From<String> for $spec {
            fn from(text: String) -> Self {
                Self::new(text)
            }
        }
    };
}

pub(crate) use spec_setters;
