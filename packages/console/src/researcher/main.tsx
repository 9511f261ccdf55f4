import './page.css'
import { createRoot } from 'react-dom/client'
import { ResearcherPage } from './researcher-page.tsx'

const element = document.getElementById('root')
if (!element) throw new Error('the page has no root element')
createRoot(element).render(<ResearcherPage />)
